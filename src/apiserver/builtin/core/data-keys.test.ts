import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FieldError } from '#apimachinery/errors.ts'
import { validateConfigMapData, validateSecretData } from './data-keys.ts'

const shown = (faults: readonly FieldError[]): string[] => faults.map(({ field, message }) => `${field}: ${message}`)
const wrongKey =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
const encode = (text: string): string => Buffer.from(text).toString('base64')

suite('validateConfigMapData()', () => {
  for (const [name, data, binaryData, expected] of [
    ['accepts valid file names', { 'a.b-c_D': '', '.hidden': 'x' }, { b: encode('x') }, []],
    ['refuses an empty key', { '': 'x' }, {}, [`data[]: Invalid value: "": ${wrongKey}`]],
    ['refuses a path', {}, { 'a/b': '' }, [`binaryData[a/b]: Invalid value: "a/b": ${wrongKey}`]],
    ['refuses the folder itself', { '.': '' }, {}, [`data[.]: Invalid value: ".": must not be '.'`]],
    ['refuses a way out', { '..x': '' }, {}, [`data[..x]: Invalid value: "..x": must not start with '..'`]],
    ['refuses a key twice', { a: '' }, { a: '' }, ['data[a]: Invalid value: "a": duplicate of key present in binaryData']],
    ['accepts 1 MiB', { a: 'x'.repeat(1 << 20) }, {}, []],
    ['refuses more', { a: 'x'.repeat(1 << 20) }, { b: encode('x') }, ['data: Too long: may not be more than 1048576 bytes']],
  ] as const) {
    test(name, () =>
      assert.deepEqual(shown(validateConfigMapData({ metadata: {}, data: { ...data }, binaryData: { ...binaryData } })), expected),
    )
  }
})

suite('validateSecretData()', () => {
  for (const [name, secret, expected] of [
    ['asks nothing of an opaque one', { type: 'Opaque', data: {} }, []],
    ['refuses an empty key', { data: { '': 'eA==' } }, [`data[]: Invalid value: "": ${wrongKey}`]],
    ['wants both halves of a certificate', { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }, ['data[tls.key]: Required value']],
    [
      'wants a name or a password',
      { type: 'kubernetes.io/basic-auth' },
      ['data[username]: Required value', 'data[password]: Required value'],
    ],
    ['is content with one of them', { type: 'kubernetes.io/basic-auth', data: { password: '' } }, []],
    ['wants a key for SSH', { type: 'kubernetes.io/ssh-auth' }, ['data[ssh-privatekey]: Required value']],
    [
      'wants the account of a token',
      { type: 'kubernetes.io/service-account-token' },
      ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    ],
    ['wants credentials of registries', { type: 'kubernetes.io/dockerconfigjson' }, ['data[.dockerconfigjson]: Required value']],
    [
      'shows nothing of broken ones',
      { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': encode('{') } },
      ['data[.dockercfg]: Invalid value: "<secret contents redacted>": is not valid JSON'],
    ],
  ] as const) {
    test(name, () => assert.deepEqual(shown(validateSecretData({ metadata: {}, ...secret })), expected))
  }
})
