import { useLayoutEffect } from 'react';

/**
 * Puts a count in front of the page's title while it is shown: `(3) Alerts · Tidemark`, and nothing for 0. The title
 * that the framework makes of the page may be written later, or once more; the count is put before it again.
 */
export function useCountedTitle(name: string, count: number): void {
  // A layout effect, since its end must come with the next page and not after the title of that.
  useLayoutEffect(() => {
    const wanted = `${count > 0 ? `(${count}) ` : ''}${name} · Tidemark`;
    const write = () => {
      if (document.title !== wanted) document.title = wanted;
    };
    write();
    const observer = new MutationObserver(write);
    observer.observe(document.head, { childList: true, characterData: true, subtree: true });
    return () => observer.disconnect();
  }, [name, count]);
}
