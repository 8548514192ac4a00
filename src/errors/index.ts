// The door of the error catalogue.
export { refusals } from './catalogue.ts';
export { hiding, namesSecret, passwordsIn, secretsIn } from './hiding.ts';
export { Refusal, type RefusalDetail, type RefusalKind } from './refusal.ts';
export { orTrouble } from './trouble.ts';
