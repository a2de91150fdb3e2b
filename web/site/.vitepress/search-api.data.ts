import { createContentLoader } from 'vitepress';
import { sectionsOf, type Section } from './search-sections.js';

export declare const data: readonly Section[];

/** The API is in English alone, and found in both languages. */
export default createContentLoader('generated/en/api/*.md', {
  render: true,
  transform: sectionsOf,
});
