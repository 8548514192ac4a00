// Variant groups: who belongs to which, who is active, and what a deletion leaves of the selection.
import type { DagCell, VariantGroup, VariantRole, VariantSelection } from './types.ts';

export interface Variants {
  readonly groups: readonly VariantGroup[];
  readonly roles: ReadonlyMap<string, VariantRole>;
  /** Two members of one name: neither can be chosen. */
  readonly collision: string | null;
}

/** Groups in the order of their first members. */
export function resolveVariants(cells: readonly DagCell[], selections: readonly VariantSelection[]): Variants {
  const members = new Map<string, { cellId: string; name: string }[]>();
  for (const { id, variant } of cells) {
    if (variant === null) continue;
    const group = members.get(variant.group) ?? [];
    group.push({ cellId: id, name: variant.name });
    members.set(variant.group, group);
  }
  const roles = new Map<string, VariantRole>();
  const groups: VariantGroup[] = [];
  let collision: string | null = null;
  for (const [group, found] of members) {
    collision ??= collisionIn(group, found);
    const selection = selections.findLast((one) => one.group === group);
    const isSweep = selection?.mode === 'sweep';
    const named = isSweep ? undefined : found.find(({ name }) => name === selection?.active);
    const active = named ?? found[0];
    if (active === undefined) continue;
    groups.push({
      group,
      mode: isSweep ? 'sweep' : 'switch',
      activeName: active.name,
      activeCellId: active.cellId,
      members: found.map((member) => ({ ...member, isActive: member === active })),
    });
    for (const member of found) {
      roles.set(member.cellId, {
        isActive: isSweep || member === active,
        sweep: isSweep ? group : null,
        variants: found.length,
      });
    }
  }
  return { groups, roles, collision };
}

function collisionIn(group: string, members: readonly { cellId: string; name: string }[]): string | null {
  for (const [place, { name, cellId }] of members.entries()) {
    const twin = members.slice(place + 1).find((other) => other.name === name);
    if (twin !== undefined) return `Cells ${cellId} and ${twin.cellId} are both variant '${name}' of group '${group}'`;
  }
  return null;
}

export function sameRole(a: VariantRole | undefined, b: VariantRole | undefined): boolean {
  return a?.isActive === b?.isActive && a?.sweep === b?.sweep && a?.variants === b?.variants;
}

/** Selections once `cellId` is gone: the pointer moves to the first member left, or goes with the last. */
export function selectionsWithout<Selection extends VariantSelection>(
  groups: readonly VariantGroup[],
  selections: readonly Selection[],
  cellId: string,
): readonly Selection[] {
  const group = groups.find(({ members }) => members.some((member) => member.cellId === cellId));
  if (group === undefined) return selections;
  const gone = group.members.find((member) => member.cellId === cellId);
  const [next] = group.members.filter((member) => member !== gone);
  if (next === undefined) return selections.filter((one) => one.group !== group.group);
  return selections.map((one) =>
    one.group === group.group && one.active === gone?.name ? { ...one, active: next.name } : one,
  );
}

/** A name for a copy of the active member: `<active>_copy`, `_copy2`, … */
export function copyName({ activeName, members }: VariantGroup): string {
  const taken = new Set(members.map(({ name }) => name));
  let name = `${activeName}_copy`;
  for (let number = 2; taken.has(name); number += 1) name = `${activeName}_copy${number}`;
  return name;
}
