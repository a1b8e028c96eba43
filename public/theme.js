// Runs before the first paint, so that no wrong theme flashes: the class on <html> is the only switch.
(() => {
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const stored = () => {
    try {
      return localStorage.getItem('tidemark-theme');
    } catch {
      return null;
    }
  };
  const apply = () => {
    const choice = stored();
    const isDark = choice === 'dark' || (choice !== 'light' && dark.matches);
    root.classList.toggle('dark', isDark);
    root.classList.toggle('light', !isDark);
  };
  apply();
  dark.addEventListener('change', apply);
  addEventListener('tidemark-theme', apply);
  addEventListener('storage', apply);
})();
