/** The pages of the book, by the encodings that their front matter names. */
import { readFileSync, readdirSync } from 'node:fs';
import { at } from './project.mjs';

/**
 * @param {string} folder of Markdown, from the project's folder
 * @returns {{ name: string, title: string, encodings: string[] }[]}
 */
export function bookPages(folder) {
  return readdirSync(at(folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => {
      const text = readFileSync(at(folder, file), 'utf8');
      return {
        name: file.replace(/\.md$/, ''),
        title: /^title: (.*)$/m.exec(text)?.[1] ?? '',
        encodings: /^encodings: (.*)$/m.exec(text)?.[1].split(', ') ?? [],
      };
    });
}
