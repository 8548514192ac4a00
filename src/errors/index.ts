// The door of the error catalogue.
export { refusals } from './catalogue.ts';
export { Refusal, type RefusalDetail, type RefusalKind } from './refusal.ts';
