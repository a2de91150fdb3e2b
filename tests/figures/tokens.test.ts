import { describe, expect, it } from 'vitest';
import { joinTokens, maxTokens, tokenize } from '../../web/figures/tokens.js';

describe('tokenize', () => {
  it.each([
    ['我吃了西瓜', ['我', '吃', '了', '西', '瓜']],
    ['the dog chased the cat', ['the', 'dog', 'chased', 'the', 'cat']],
    ['Dog bites man!', ['Dog', 'bites', 'man', '!']],
    ['我用GPT-4写诗。', ['我', '用', 'GPT-4', '写', '诗', '。']],
    ["don't stop", ["don't", 'stop']],
    ['rock-n-roll - yes', ['rock-n-roll', '-', 'yes']],
    ["'quoted' words", ["'", 'quoted', "'", 'words']],
    ['naïve cafe\u0301', ['naïve', 'café']],
    ['👩‍👩‍👧‍👦 和 🇨🇳', ['👩‍👩‍👧‍👦', '和', '🇨🇳']],
    ['カタカナとひらがな', [...'カタカナとひらがな']],
    ['한국어 문장', ['한국어', '문장']],
    ['Привет, мир', ['Привет', ',', 'мир']],
    ['3.14 and 2024', ['3', '.', '14', 'and', '2024']],
    ['a\u3000b\tc\n', ['a', 'b', 'c']],
    ['𠮷野家', ['𠮷', '野', '家']],
    ['', []],
    [' \u200b \u202e', []],
  ])('cuts %j', (sentence, tokens) => {
    expect(tokenize(sentence).tokens).toEqual(tokens);
  });

  it('keeps the first tokens of a long sentence and says how many it dropped', () => {
    const { tokens, dropped } = tokenize('字'.repeat(maxTokens + 7));
    expect(tokens).toHaveLength(maxTokens);
    expect(dropped).toBe(7);
    expect(tokenize('字').dropped).toBe(0);
  });

  it('never throws and never makes an empty token, whatever the string', () => {
    for (const odd of [
      '\ud800',
      '\udfff\ud800',
      '\u0301\u0301',
      '\0\x01',
      '%F0%9F',
      '\u202e abc',
    ]) {
      const { tokens } = tokenize(odd.repeat(40));
      expect(tokens.length).toBeLessThanOrEqual(maxTokens);
      expect(tokens.every((token) => token.trim() !== '')).toBe(true);
    }
  });
});

describe('joinTokens', () => {
  it.each([
    '我吃了西瓜',
    'the dog chased the cat',
    '我用GPT-4写诗。',
    'Dog bites man!',
    '한국어 문장',
  ])('writes %j as it was', (sentence) => {
    expect(joinTokens(tokenize(sentence).tokens)).toBe(sentence);
  });

  it('is undone by tokenize, in any order', () => {
    const { tokens } = tokenize("我 don't know, GPT 说");
    const reversed = [...tokens].reverse();
    expect(tokenize(joinTokens(reversed)).tokens).toEqual(reversed);
  });
});
