/** What users make models of: checkpoints and tokenizers. */
export type { ByteInput, ByteOptions } from './bytes/types.js';
export { characterTokenizer } from './tokenizers/characters.js';
export type {
  CharacterOptions,
  CharacterTokenizer,
  CharacterTokenizerJson,
} from './tokenizers/characters.js';
export { huggingFaceTokenizer } from './tokenizers/hugging-face.js';
export type { HuggingFaceLike, HuggingFaceOptions } from './tokenizers/hugging-face.js';
export { llama2cTokenizer } from './tokenizers/llama2c.js';
export type { EncodeTextOptions, TokenStream, Tokenizer } from './tokenizers/types.js';
export { readSafetensors } from './weights/read.js';
export type { SafetensorsOptions } from './weights/read.js';
export type { WeightInfo, WeightType, Weights } from './weights/types.js';
export { writeSafetensors } from './weights/write.js';
export type { WriteOptions, WrittenTensor } from './weights/write.js';
