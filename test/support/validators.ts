/** Before the tests: the validators that a build would have made of the shipped contract and of the settings. */
import { writeShippedValidators } from '../../src/contract/compile-shipped.ts';
import { writeSettingsValidators } from '../../src/settings/compile-validators.ts';

export default function writeValidators(): void {
  writeShippedValidators();
  writeSettingsValidators();
}
