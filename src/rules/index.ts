import type { Rule } from '../model/rule.ts';
import { idMatchesPath } from './draft-id-matches-path.ts';
import { percentageRange } from './draft-percentage-range.ts';
import { splitSumsTo100 } from './draft-split-sums-to-100.ts';
import { uniqueVariationId } from './draft-unique-variation-id.ts';
import { emptyUpdate } from './feature-empty-update.ts';
import { uniqueVariableId } from './feature-unique-variable-id.ts';
import { unknownVariable } from './feature-unknown-variable.ts';
import { valueMatchesDataType } from './feature-value-matches-data-type.ts';
import { emptyList } from './project-empty-list.ts';
import { environmentDeleted } from './project-environment-deleted.ts';
import { environmentReplaced } from './project-environment-replaced.ts';
import { languageRemoved } from './project-language-removed.ts';
import { oneDefaultEnvironment } from './project-one-default-environment.ts';
import { stateUnknown } from './project-state-unknown.ts';
import { uniqueEnvironmentId } from './project-unique-environment-id.ts';
import { uniqueLanguage } from './project-unique-language.ts';

/** Every rule, in the order in which they are tried. Which ones apply to an operation is said in contract.json. */
export const RULES: readonly Rule[] = [
  uniqueEnvironmentId,
  oneDefaultEnvironment,
  emptyList,
  uniqueLanguage,
  environmentDeleted,
  environmentReplaced,
  stateUnknown,
  languageRemoved,
  emptyUpdate,
  valueMatchesDataType,
  uniqueVariableId,
  unknownVariable,
  idMatchesPath,
  splitSumsTo100,
  percentageRange,
  uniqueVariationId,
];
