import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCopyright } from './debian-license.ts'
import { parseOwners } from './debian-packages.ts'
import { bundledPackages, PackageNotLocked } from './npm-packages.ts'

const copyright = (...licenses: readonly string[]): string =>
  [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    ...licenses.map((name) => `\nFiles: *\nLicense: ${name}`),
  ].join('\n')

for (const { text, expected } of [
  { text: copyright('GPL-2+', 'LGPL-2.1', 'GPL-2+'), expected: { license: 'GPL-2.0-or-later AND LGPL-2.1-only', unknownLicenses: [] } },
  {
    text: copyright('Expat', 'GPL-2 or BSD-3-clause'),
    expected: { license: '(GPL-2.0-only OR BSD-3-Clause) AND MIT', unknownLicenses: [] },
  },
  { text: copyright('Expat', 'X-special'), expected: { unknownLicenses: ['X-special'] } },
  { text: copyright('GPL-2, or Expat'), expected: { unknownLicenses: ['GPL-2,'] } },
  { text: 'This package is under the GPL.', expected: { unknownLicenses: [] } },
]) {
  test(`parseCopyright() reads ${JSON.stringify(text.slice(-30))}`, () => assert.deepEqual(parseCopyright(text), expected))
}

test('parseOwners() reads the owners of paths', () => {
  const output = ['libc6:amd64: /lib/libc.so.6', 'a, b:amd64: /usr/share/doc', 'diversion by dash from: /bin/sh'].join('\n')
  assert.deepEqual(
    [...parseOwners(output)],
    [
      ['/lib/libc.so.6', 'libc6:amd64'],
      ['/usr/share/doc', 'a'],
    ],
  )
})

test('bundledPackages() finds the packages of a bundle, nested and with a scope', () => {
  const integrity = `sha512-${Buffer.from('sum').toString('base64')}`
  const lock = {
    packages: {
      'node_modules/@x/y': { version: '1.0.0', license: 'MIT', integrity },
      'node_modules/a/node_modules/b': { version: '2.0.0' },
    },
  }
  const inputs = ['src/cmd/virt-api.ts', 'node_modules/@x/y/index.js', 'node_modules/@x/y/more.js', 'node_modules/a/node_modules/b/b.js']
  assert.deepEqual(bundledPackages(inputs, lock), [
    { name: '@x/y', version: '1.0.0', license: 'MIT', sha512: Buffer.from('sum').toString('hex') },
    { name: 'b', version: '2.0.0' },
  ])
  assert.throws(() => bundledPackages(['node_modules/unlocked/index.js'], lock), PackageNotLocked)
})
