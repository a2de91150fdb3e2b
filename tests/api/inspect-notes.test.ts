import { describe, expect, it } from 'vitest';
import { inspect } from 'posenc';
import { catalogue } from '../../web/api/inspect/catalogue.js';
import { llama, unknown } from './notes/configs.js';
import { families } from './notes/families.js';
import { layers } from './notes/layers.js';
import { reading } from './notes/reading.js';
import { rope } from './notes/rope.js';
import { scaling } from './notes/scaling.js';

const table = [...reading, ...rope, ...scaling, ...layers, ...families];

describe('notes', () => {
  for (const [code, config, fields, text, length] of table) {
    it(code, () => {
      const plan = inspect(config, length === undefined ? {} : { length });
      const notes = [...plan.assumptions, ...plan.warnings].filter((note) => note.code === code);
      expect(notes.map((note) => note.fields)).toContainEqual(fields);
      const note = notes.find((each) => text.test(each.en));
      expect(note, notes.map(({ en }) => en).join('\n')).toBeDefined();
      expect(note?.zh).toMatch(/\p{Script=Han}/u);
      expect(note?.level).toBe(catalogue[code].level);
      for (const each of notes) expect(`${each.en}${each.zh}`).not.toMatch(/undefined|null|NaN/);
    });
  }

  it('the table has a case for every code', () => {
    expect(new Set(table.map(([code]) => code))).toEqual(new Set(Object.keys(catalogue)));
  });

  it('a complete config has no warning, and errors come first', () => {
    expect(inspect(llama).warnings).toEqual([]);
    const config = { ...unknown, num_key_value_heads: 3, sliding_window: 9 };
    const levels = inspect(config).warnings.map(({ level }) => level);
    expect(levels).toEqual([...levels].sort());
    expect(levels[0]).toBe('error');
  });
});
