import { defineConfig } from 'vitest/config';
import tests from '../../vitest.config.ts';

/** `npm run histories`: the recorder alone. */
export default defineConfig({
  test: { ...tests.test, include: ['test/workflows/record-histories.ts'] },
});
