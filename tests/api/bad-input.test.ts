/** Every kind of bad input throws an error that helps, and the module works afterwards. */
import { describe, expect, test } from 'vitest';
import { caches } from './bad-input/caches.js';
import { data } from './bad-input/data.js';
import { encodings } from './bad-input/encodings.js';
import { x } from './bad-input/fixtures.js';
import { gradients } from './bad-input/gradients.js';
import { interop } from './bad-input/interop.js';
import { layouts } from './bad-input/layouts.js';
import { maps } from './bad-input/maps.js';
import { positions } from './bad-input/positions.js';
import { shapes } from './bad-input/shapes.js';
import { streams } from './bad-input/streams.js';
import { terms } from './bad-input/terms.js';
import { errorOf, expectNear, posenc } from './posenc.js';
import { turn } from './reference.js';

const groups = {
  encodings,
  positions,
  maps,
  layouts,
  data,
  shapes,
  terms,
  gradients,
  streams,
  interop,
  caches,
};

describe.each(Object.entries(groups))('%s', (_, cases) => {
  test.each(cases.map(([call, ...expected]) => [...expected, call] as const))(
    '%s %s: %s',
    (code, argument, message, call) => {
      const { liveTensors, liveCaches } = posenc.info;
      const error = errorOf(call);
      expect(error.message).toContain(message);
      expect(error).toMatchObject({ name: 'PosencError', code, argument });
      expect(posenc.info).toMatchObject({ liveTensors, liveCaches });
      const turned = posenc.encoding('rope', { headDim: 16 }).rotate(x, { shape: [2, 4, 16] });
      expectNear(turned.subarray(0, 16), x.subarray(0, 16));
      expectNear(turned.subarray(48, 64), turn(x.subarray(48, 64), 3));
    },
  );
});
