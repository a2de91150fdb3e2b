/** What the parts of the page Small model share. */
import { inject, type InjectionKey, type ShallowRef } from 'vue';
import type { ModelFacts } from '../../small/protocol.js';
import type { SmallClient } from './small-client.js';
import type { SmallSettings } from './small-link.js';
import { smallWord, type SmallWord } from './small-words.js';
import { useWords } from './words.js';

/** Made by `SmallModel`. */
export interface Small {
  readonly client: SmallClient;
  /** Reactive; the address follows it. */
  readonly settings: SmallSettings;
  /** The open model. */
  readonly facts: Readonly<ShallowRef<ModelFacts | null>>;
  /** Ids of the prompt and of what was written last; `null` = only a prompt is there. */
  readonly ids: ShallowRef<readonly number[] | null>;
}

/** Where `SmallModel` provides it. */
export const smallKey: InjectionKey<Small> = Symbol('small');

/** What the parts share, with the words of the page's language. */
export function useSmall() {
  const { lang } = useWords();
  const w = (word: SmallWord, ...values: (string | number)[]) =>
    smallWord(lang.value, word, ...values);
  return { ...inject(smallKey)!, lang, w };
}
