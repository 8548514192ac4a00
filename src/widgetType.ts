// The types under which Jupyter keeps widgets: one that is shown, and what is known of all.
export const widgetType = 'application/vnd.jupyter.widget-view+json';
export const widgetStateType = 'application/vnd.jupyter.widget-state+json';
