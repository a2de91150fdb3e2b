/**
 * A genuine checkpoint of 260 K parameters, in both of its formats, against llama2.c and transformers.
 * The file is somebody's work and not part of this repository: without ../shared the tests are skipped.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { llama2cTokenizer, type LanguageModel, type Tokenizer } from 'posenc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builds } from './builds.js';

const folder = fileURLToPath(new URL('../../../shared/conformance/stories260k/', import.meta.url));
const bytes = (name: string): Uint8Array => new Uint8Array(readFileSync(folder + name));

interface Tensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly offset: number;
}

/** A case: its attributes, and its tensors as numbers. */
function caseOf(name: string) {
  const { attributes, inputs, outputs } = JSON.parse(
    readFileSync(`${folder}${name}.json`, 'utf8'),
  ) as { attributes: Record<string, unknown>; inputs: Tensor[]; outputs: Tensor[] };
  const { buffer } = Uint8Array.from(readFileSync(`${folder}${name}.bin`));
  const numbers = ({ dtype, shape, offset }: Tensor): number[] => {
    const count = shape.reduce((all, n) => all * n, 1);
    if (dtype === 'i64') return Array.from(new BigInt64Array(buffer, offset, count), Number);
    return [...new (dtype === 'f64' ? Float64Array : Float32Array)(buffer, offset, count)];
  };
  const all = [...inputs, ...outputs].map((tensor) => [tensor.name, numbers(tensor)] as const);
  return { attributes, tensors: Object.fromEntries(all) as Record<string, number[]> };
}

/** |actual − expected| ≤ 1e-4 + 1e-4·|expected|: what two float32 implementations agree to. */
function expectAlike(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) {
    const [a, e] = [actual[i]!, expected[i]!];
    if (!(Math.abs(a - e) <= 1e-4 + 1e-4 * Math.abs(e)))
      expect.fail(`number ${i} is ${a}, expected ${e}`);
  }
}

const formats = ['llama2.c', 'safetensors'] as const;

describe.skipIf(!existsSync(folder))('stories260K (needs ../shared)', () => {
  describe.each(builds)('%s', (_, posenc) => {
    describe.each(formats)('%s', (format) => {
      let model: LanguageModel;
      let tokenizer: Tokenizer;
      beforeAll(async () => {
        tokenizer = await llama2cTokenizer(bytes('tok512.bin'));
        const source =
          format === 'llama2.c'
            ? { weights: bytes('stories260K.bin') }
            : {
                config: readFileSync(`${folder}config.json`, 'utf8'),
                weights: bytes('model.safetensors'),
              };
        model = await posenc.loadModel({ ...source, tokenizer });
      });
      afterAll(() => model.dispose());

      it('gives the logits of three implementations', () => {
        const { tensors } = caseOf('logits_first8');
        const { token_ids, logits_runc_f32, logits_hf_f32, logits_f64 } = tensors;
        for (const chunk of [128, 3, 1]) {
          const logits = model.logits(token_ids!, { chunk });
          for (const expected of [logits_runc_f32, logits_hf_f32, logits_f64]) {
            expectAlike(logits, expected!);
          }
        }
      });

      it('is the same inside', () => {
        const { tensors: expected } = caseOf('intermediates_first8');
        const ids = expected.token_ids!;
        const { layers } = model.trace(ids);
        const states = layers.flatMap(({ input }) => [...input]);
        expectAlike(states, expected.hidden_states_f64!.slice(0, states.length));
        const weights = layers.flatMap(({ weights }) => [...weights]);
        expectAlike(weights, expected.attention_probs_f64!);
        // [head, T, d] to [T, head, d]
        const byToken = (x: Float32Array, heads: number): number[] =>
          Array.from(x, (_, i) => {
            const token = Math.floor(i / (heads * 8));
            const head = Math.floor(i / 8) % heads;
            return x[(head * ids.length + token) * 8 + (i % 8)]!;
          });
        const queries = layers.flatMap(({ turnedQuery }) => byToken(turnedQuery, 8));
        expectAlike(queries, expected.q_rotated_half_f64!);
        const keys = layers.flatMap(({ turnedKey }) => byToken(turnedKey, 4));
        expectAlike(keys, expected.k_rotated_half_f64!);
      });

      it.each(['greedy_0', 'greedy_1', 'greedy_2'])(
        '%s: the same ids, the same text',
        async (name) => {
          const { attributes, tensors } = caseOf(name);
          const { prompt_ids, generated_ids } = tensors;
          const prompt = attributes.prompt_text as string;
          expect([...model.encode(prompt)]).toEqual(prompt_ids);
          const ids: number[] = [];
          let text = prompt;
          for await (const token of model.generate(prompt, { maxTokens: 64, stopIds: [] })) {
            ids.push(token.id);
            text += token.text;
          }
          expect(ids).toEqual(generated_ids);
          expect(text.trimStart()).toBe(attributes.expected_text_runc_decode);
        },
      );
    });
  });
});
