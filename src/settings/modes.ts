export const RECORD_MODES = ['all', 'new_episodes', 'once', 'none'] as const;
export type RecordMode = (typeof RECORD_MODES)[number];
export const VALIDATION_MODES = ['enforce', 'warn', 'off'] as const;
export type ValidationMode = (typeof VALIDATION_MODES)[number];
export const DURABILITIES = ['process', 'fsync'] as const;
export type Durability = (typeof DURABILITIES)[number];
export const LOG_FORMATS = ['text', 'json', 'off'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];
