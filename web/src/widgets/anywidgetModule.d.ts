// It ships no types of what it defines.
declare module 'anywidget';
