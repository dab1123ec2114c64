import { useState } from 'preact/hooks';

type Theme = 'light' | 'dark';

const KEY = 'bucketware-theme';

/** The theme chosen here, otherwise that of the system. */
function initial(): Theme {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function useTheme(): readonly [Theme, () => void] {
  const [theme, setTheme] = useState(initial);
  document.documentElement.dataset.theme = theme;
  const toggle = () => {
    const other = theme === 'dark' ? 'light' : 'dark';
    localStorage.setItem(KEY, other);
    setTheme(other);
  };
  return [theme, toggle];
}
