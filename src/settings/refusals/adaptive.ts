// Adaptive scan slots: on only for one tenant, and the slots they start from must lie in the range they move in.

import { refusal } from './refusal.ts';

const adaptiveIsForOneTenant = refusal(
  ['adaptiveEnabled', 'multiTenantEnabled'],
  ({ adaptiveEnabled, multiTenantEnabled }) =>
    adaptiveEnabled && multiTenantEnabled
      ? 'SVC_ADAPTIVE_ENABLED cannot be combined with SVC_MULTI_TENANT_ENABLED: turn one of them off'
      : null,
);

const interactiveSlotsInRange = refusal(
  ['adaptiveEnabled', 'interactiveSlots', 'adaptiveMinInteractive', 'adaptiveMaxInteractive'],
  (settings) =>
    settings.adaptiveEnabled
      ? outside(
          'INTERACTIVE',
          settings.interactiveSlots,
          settings.adaptiveMinInteractive,
          settings.adaptiveMaxInteractive,
        )
      : null,
);

const bulkSlotsInRange = refusal(['adaptiveEnabled', 'bulkSlots', 'adaptiveMinBulk', 'adaptiveMaxBulk'], (settings) =>
  settings.adaptiveEnabled
    ? outside('BULK', settings.bulkSlots, settings.adaptiveMinBulk, settings.adaptiveMaxBulk)
    : null,
);

function outside(tier: string, slots: number, min: number, max: number): string | null {
  const bounds = `SVC_ADAPTIVE_MIN_${tier} (${min}) to SVC_ADAPTIVE_MAX_${tier} (${max})`;
  if (min > max) return `${bounds} is an empty range: raise the second or lower the first`;
  if (slots >= min && slots <= max) return null;
  return `SVC_${tier}_SLOTS=${slots} lies outside ${bounds}: move it inside`;
}

export const adaptiveRefusals = [adaptiveIsForOneTenant, interactiveSlotsInRange, bulkSlotsInRange];
