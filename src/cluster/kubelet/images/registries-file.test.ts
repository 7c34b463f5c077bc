import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { parseRegistries, readRegistrySettings, RegistriesInvalid } from './registries-file.ts'

suite('registries.yaml', () => {
  test('says how the registry of a host is reached', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registries-'))
    try {
      const file = join(folder, 'registries.yaml')
      const none = { authorities: [], isInsecure: false }
      assert.deepEqual(await readRegistrySettings(file, 'quay.io'), none)
      await writeFile(join(folder, 'ca.pem'), '-----BEGIN CERTIFICATE-----\n')
      await writeFile(
        file,
        'registries:\n- {host: a.example.com, authority: ca.pem}\n- {host: "localhost:5000", insecure: true}\n- {host: b, authority: none.pem}',
      )
      const settings = { authorities: ['-----BEGIN CERTIFICATE-----\n'], isInsecure: false }
      assert.deepEqual(await readRegistrySettings(file, 'a.example.com'), settings)
      assert.deepEqual(await readRegistrySettings(file, 'localhost:5000'), { authorities: [], isInsecure: true })
      assert.deepEqual(await readRegistrySettings(file, 'quay.io'), none)
      await assert.rejects(readRegistrySettings(file, 'b'), /the authority ".*none\.pem" does not exist/)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  const invalid: Readonly<Record<string, RegExp>> = {
    '{': /is no YAML/,
    a: /registries must be a list/,
    'registries: [a]': /registries\[0\] must be an object/,
    'registries: [{host: "https://a"}]': /registries\[0\]\.host must be a host/,
    'registries: [{host: a, insecure: yes please}]': /registries\[0\]\.insecure must be true or false/,
    'registries: [{host: a, authority: 1}]': /registries\[0\]\.authority must be the path/,
    'registries: [{host: a, certificate: x}]': /registries\[0\]\.certificate is not known/,
  }
  for (const [text, message] of Object.entries(invalid))
    test(`${text} is refused`, () =>
      assert.rejects(parseRegistries(text, 'r.yaml'), (error) => error instanceof RegistriesInvalid && message.test(error.message)))
  test('an empty file has none', async () => assert.deepEqual(await parseRegistries('# none\n', 'r.yaml'), []))
})
