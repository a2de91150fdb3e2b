/** Formula ↔ picture: pointing at a symbol or a mark lights everything of the same name on the page. */

/** Watches pointer and focus for elements with `data-sym`. */
export function linkSymbols(root: Document): void {
  let lit = '';
  const light = (name: string, fromPicture: boolean) => {
    if (name === lit) return;
    lit = name;
    for (const element of root.querySelectorAll('.px-lit')) element.classList.remove('px-lit');
    for (const stage of root.querySelectorAll('.px-lit-some'))
      stage.classList.remove('px-lit-some');
    if (!name) return;
    for (const element of root.querySelectorAll(`[data-sym="${CSS.escape(name)}"]`)) {
      element.classList.add('px-lit');
      // Pointing at a word dims the rest of the picture; pointing into the picture must not.
      if (!fromPicture) element.closest('.px-stage')?.classList.add('px-lit-some');
    }
  };
  const follow = (event: Event) => {
    const target = event.target instanceof Element ? event.target : null;
    light(target ? symbolOf(target) : '', target?.closest('.px-stage') !== null);
  };
  root.addEventListener('pointerover', follow);
  root.addEventListener('focusin', follow);
  root.addEventListener('focusout', () => light('', true));
}

/** The symbol at an element; a handle stands for the mark that it draws. */
function symbolOf(target: Element): string {
  const marked =
    target.closest('[data-sym]') ?? target.closest('.px-handle')?.querySelector('[data-sym]');
  return marked?.getAttribute('data-sym') ?? '';
}
