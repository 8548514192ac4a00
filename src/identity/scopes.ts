// Every scope there is. Routes, frames and tools say beside themselves which one they ask for; `admin:*` holds them all.

export const scopes = [
  'notebook:read',
  'notebook:write',
  'notebook:execute',
  'artifacts:write',
  'artifacts:publish',
  'artifacts:pin',
  'admin:cache',
  'admin:tenants',
  'admin:notebook-workers',
  'admin:notebook-credentials',
  'admin:notebooks',
  'admin:registry',
  'admin:*',
] as const;

export type Scope = (typeof scopes)[number];
