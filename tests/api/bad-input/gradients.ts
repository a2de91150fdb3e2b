/** Gradients of attention. */
import { numbers } from '../posenc.js';
import { alibi, disposed, foreign, js, shape, small, x, type Case } from './fixtures.js';

/** A call that works but for the change. */
const back = (change: object) => () =>
  js.attentionBackward({ query: x, key: x, value: x, shape, gradient: x, ...change });
const t5 = js.encoding('t5', { heads: 2, table: numbers(64) });
const array = () => new Float32Array(128);
const twice = array();

export const gradients: Case[] = [
  [() => js.attentionBackward(undefined), 'argument', 'shape', 'shape is missing'],
  [back({ gradients: x }), 'option', 'gradients', 'did you mean gradient?'],
  [back({ gradient: undefined }), 'argument', 'gradient', 'gradient is missing, needs a Float32A'],
  [back({ gradient: [1] }), 'argument', 'gradient', 'Float32Array.from(gradient)'],
  [
    back({ gradient: numbers(127) }),
    'shape',
    'gradient',
    'batch·heads·queries·valueDim = 1·2·4·16',
  ],
  [back({ gradient: foreign }), 'argument', 'gradient', 'a tensor of another module'],
  [back({ gradient: disposed }), 'disposed', 'gradient', 'gradient was disposed'],
  [back({ query: numbers(3) }), 'shape', 'query', 'query has 3 numbers'],
  [back({ encoding: 't5' }), 'argument', 'encoding', 'needs what encoding() of a'],
  [back({ output: x }), 'argument', 'statistics', 'since output and statistics go together'],
  [back({ statistics: numbers(24) }), 'argument', 'output', 'since output and statistics go tog'],
  [back({ output: x, statistics: x }), 'shape', 'statistics', '1·2·4·3 = 24'],
  [back({ return: 'query' }), 'argument', 'return', 'return is "query", needs an array of "query"'],
  [back({ return: ['querys'] }), 'option', 'return[0]', 'did you mean "query"?'],
  [back({ return: ['query', undefined] }), 'argument', 'return[1]', 'return[1] is missing'],
  [back({ return: ['mask'] }), 'argument', 'mask', 'numbers that are added, since return names'],
  [
    back({ return: ['mask'], mask: Array.from({ length: 16 }, () => true) }),
    'argument',
    'mask',
    'needs numbers that are added',
  ],
  [back({ return: ['sinkLogits'] }), 'argument', 'sinkLogits', 'sinkLogits is missing'],
  [back({ return: ['headScales'] }), 'argument', 'headScales', 'headScales is missing'],
  [back({ return: ['queryScales'] }), 'argument', 'queryScales', 'queryScales is missing'],
  [back({ out: x }), 'option', '0', 'is not an option of attentionBackward'],
  [back({ out: { keys: array() } }), 'option', 'keys', 'did you mean key?'],
  [back({ out: { scale: array() } }), 'option', 'scale', 'is not an option'],
  [
    back({ out: { key: array() }, return: ['query'] }),
    'argument',
    'out.key',
    'return to name "key"',
  ],
  [back({ out: { key: numbers(5) } }), 'shape', 'out.key', 'out.key has 5 numbers'],
  [back({ out: { key: [1] } }), 'argument', 'out.key', 'Float32Array.from(out.key)'],
  [
    back({ out: { query: twice, key: twice } }),
    'argument',
    'out.key',
    'another one than out.query',
  ],
  [back({ out: { key: foreign } }), 'argument', 'out.key', 'a tensor of another module'],
  [back({ out: { query: small, value: small } }), 'argument', 'out.value', 'than out.query'],
  [back({ out: { encodings: { t5: {} } } }), 'option', 't5', 'the encodings of this call'],
  [
    back({ encoding: alibi, out: { encodings: { alibi: { table: array() } } } }),
    'option',
    'table',
    'the gradients of alibi',
  ],
  [
    back({ encoding: t5, out: { encodings: { t5: { table: numbers(3) } } } }),
    'shape',
    'out.encodings.t5.table',
    'has 3 numbers',
  ],
  [
    back({ encoding: t5, out: { query: twice, encodings: { t5: { table: twice } } } }),
    'argument',
    'out.encodings.t5.table',
    'another one than out.query',
  ],
  [back({ encoding: t5, out: { encodings: 3 } }), 'argument', 'out.encodings', 'an object'],
];
