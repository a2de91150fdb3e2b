import { createContentLoader } from 'vitepress';
import { sectionsOf, type Section } from './search-sections.js';

export declare const data: readonly Section[];

export default createContentLoader(['*.md', 'generated/*.md'], {
  render: true,
  transform: sectionsOf,
});
