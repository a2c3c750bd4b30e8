import { coloured, type Paint, plain } from './colours.ts';
import { changeOf, type Report, type Subject, summaryOf } from './report.ts';
import type { ReporterOptions } from './reporter.ts';
import { findingParagraphs, type Selection } from './text-findings.ts';
import { remarksText, rulesText, skippedText, summaryLine } from './text-summary.ts';
import { amount } from './wording.ts';

/** For people: the findings, then what is known besides; what sums it all up comes last, where a terminal ends. */
export function text(report: Report, { isColoured }: Pick<ReporterOptions, 'isColoured'>): string[] {
  const paint = isColoured ? coloured : plain;
  const { errors, warnings, breaks } = summaryOf(report);
  const paragraphs = [
    ...(breaks === undefined ? findingParagraphs(report.files, paint) : changeParagraphs(report, paint)),
    skippedText(report),
    remarksText(report, paint),
    errors + warnings > 1 ? rulesText(report, paint) : '',
    summaryLine(report),
  ];
  return [`${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`];
}

/** What the contract's change means: which requests it newly rejects and allows, and what else is new. */
function changeParagraphs(report: Report, paint: Paint): string[] {
  const { breaks = 0, allows = 0 } = summaryOf(report);
  const ofOthers = findingParagraphs(filesWith(report, undefined), paint);
  const ofBreaks = findingParagraphs(filesWith(report, 'breaks'), paint);
  const ofAllows = findingParagraphs(filesWith(report, 'allows'), paint, gone);
  const heading = (heading: string) => paint('bold', heading);
  return [
    ...(ofOthers.length > 0
      ? [heading('New findings that neither reject nor allow a request:'), ...ofOthers]
      : []),
    heading(
      `Newly allowed: ${amount(allows, 'request')}${ofAllows.length > 0 ? '; these findings are gone:' : ''}`,
    ),
    ...ofAllows,
    heading(
      `Newly rejected: ${amount(breaks, 'request')}${ofBreaks.length > 0 ? '; these findings are new:' : ''}`,
    ),
    ...ofBreaks,
  ];
}

const gone: Selection = ({ before }) => before?.gone ?? [];

function filesWith({ files }: Report, change: ReturnType<typeof changeOf>) {
  const isMeant = (subject: Subject) => changeOf(subject) === change;
  return files.map((file) => ({ ...file, subjects: file.subjects.filter(isMeant) }));
}
