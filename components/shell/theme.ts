const KEY = 'tidemark-theme';
const CHANGED = 'tidemark-theme';

/** The theme that this browser keeps: `dark`, `light`, or `system` where none was chosen. */
export function keptTheme(): string {
  const value = localStorage.getItem(KEY);
  return value === 'dark' || value === 'light' ? value : 'system';
}

/** Keeps a theme and shows it at once; `public/theme.js` applies it. */
export function chooseTheme(theme: string): void {
  localStorage.setItem(KEY, theme);
  dispatchEvent(new Event(CHANGED));
}

export function onThemeChange(onChange: () => void): () => void {
  addEventListener(CHANGED, onChange);
  addEventListener('storage', onChange);
  return () => {
    removeEventListener(CHANGED, onChange);
    removeEventListener('storage', onChange);
  };
}
