import type { FaultRule, Latency } from '../../model/fault.ts';
import { faultText, latencyText } from '../../model/fault-text.ts';
import { redactText } from '../../recordings/redaction/redact.ts';
import { REDACTED } from '../../recordings/redaction/redacted.ts';
import type { Redaction } from '../../recordings/redaction/redaction.ts';
import type { Setting } from '../../settings/settings.ts';

/** A setting's value as a config file in JSON can have it. */
export type WrittenValue = string | number | boolean | string[];

/**
 * The form of a value that can be written back: 30000 -> `30s`, 5242880 -> `5MiB`. What is secret is not shown.
 *
 * @param value as in `Config`; undefined only where `account` is whatever `current` means
 */
export function writtenValue(setting: Setting, value: unknown, redaction: Redaction): WrittenValue {
  if (setting.secret) return REDACTED;
  if (value === undefined) return 'current';
  if (setting.kind === 'duration') return inUnits(value as number, DURATIONS);
  if (setting.kind === 'size') return inUnits(value as number, SIZES);
  if (setting.kind === 'latency') return latencyText(value as Latency);
  if (setting.kind === 'faults') return (value as FaultRule[]).map(faultText);
  if (setting.mayBeOff && value === '') return false;
  if (['string', 'url'].includes(setting.kind) && !setting.isPath)
    return redactText(value as string, redaction);
  return value as WrittenValue;
}

type Units = readonly (readonly [unit: string, amount: number])[];

const DURATIONS: Units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];
const SIZES: Units = [
  ['MiB', 1_048_576],
  ['KiB', 1024],
  ['B', 1],
];

/** In the largest unit that it is a whole number of. */
function inUnits(value: number, units: Units): string {
  const [unit, amount] =
    units.find(([, one]) => value > 0 && value % one === 0) ?? (units.at(-1) as Units[number]);
  return `${value / amount}${unit}`;
}
