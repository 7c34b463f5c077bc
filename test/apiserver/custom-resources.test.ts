import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, suite, test } from 'node:test'
import { versionInfo } from '#apiserver/discovery/version.ts'
import { type EmbeddedApi, startEmbeddedApi } from '#apiserver/embedded-api.ts'
import { startConversionWebhook, type TestConversionWebhook } from '#apiserver/extensions/conversion/conversion-webhook.fixture.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'
import { kubectlsUnderTest, noKubectl, runCommand } from '../support/kubectl.ts'

// What users see of custom resources, through every kubectl: versions that a webhook converts,
// columns and explanations of each, life and end of a definition.
const kubectls = kubectlsUnderTest()
const group = 'e2e.example.com'
/** kubectl's errors for a missing resource, with and without cached discovery. */
const gone = /the server doesn't have a resource type|could not find the requested resource/
const text = { type: 'string', description: 'A text.' }

const definition = (webhook: TestConversionWebhook): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `hosts.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'hosts', singular: 'host', kind: 'Host', shortNames: ['ho'] },
    conversion: webhook.conversion,
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Address', type: 'string', jsonPath: '.spec.address' }],
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { address: text } } } } },
      },
      {
        name: 'v2',
        served: true,
        storage: false,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Host', type: 'string', jsonPath: '.spec.where.host' },
          { name: 'Port', type: 'string', jsonPath: '.spec.where.port' },
        ],
        selectableFields: [{ jsonPath: '.spec.where.host' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  where: {
                    type: 'object',
                    description: 'Where it is.',
                    properties: {
                      host: text,
                      port: { ...text, default: '80' },
                      list: { type: 'array', items: { type: 'object', properties: { deep: text } } },
                    },
                  },
                },
              },
              status: { type: 'object', properties: { up: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
})

interface Spec {
  readonly address?: string
  readonly where?: { readonly host?: string; readonly port?: string }
}

suite('custom resources', { skip: noKubectl }, () => {
  let directory: string
  let api: EmbeddedApi
  let webhook: TestConversionWebhook
  const newest = kubectls.at(-1)?.path ?? ''

  const args = (list: readonly string[]): string[] => [
    '--kubeconfig',
    join(directory, 'kubeconfig'),
    '--cache-dir',
    join(directory, 'cache'),
    ...list,
  ]
  const run = async (list: readonly string[], path = newest, input = ''): Promise<string> => {
    const { stdout, stderr, code } = await runCommand(path, args(list), { input })
    return code === 0 ? stdout : `exit ${code}: ${stderr}`
  }

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'custom-'))
    webhook = await startConversionWebhook((object, apiVersion) => {
      const spec = (object['spec'] ?? {}) as Spec
      if (apiVersion.endsWith('/v1')) {
        return { ...object, apiVersion, spec: { address: `${spec.where?.host ?? ''}:${spec.where?.port ?? ''}` } }
      }
      const [host, port] = (spec.address ?? ':').split(':')
      return { ...object, apiVersion, spec: { where: { host, port } } }
    })
    const authority = await createTestAuthority()
    const [serving, admin] = await Promise.all([authority.issue('apiserver', [], true), authority.issue('admin', ['system:masters'])])
    api = await startEmbeddedApi({
      database: join(directory, 'state.db'),
      synchronous: 'NORMAL',
      port: 0,
      tls: { ...serving, clientCa: authority.cert },
      version: versionInfo('test', { commit: '', date: '', platform: 'linux/amd64' }),
      now: () => Date.now(),
      random: () => randomInt(2 ** 32) / 2 ** 32,
      log: { info: () => {}, warn: () => {}, error: (fields, message) => console.error(message, fields) },
    })
    const base64 = (pem: string): string => Buffer.from(pem).toString('base64')
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin', namespace: 'default' } }],
      clusters: [{ name: 'test', cluster: { server: api.server.url, 'certificate-authority-data': base64(authority.cert) } }],
      users: [{ name: 'admin', user: { 'client-certificate-data': base64(admin.cert), 'client-key-data': base64(admin.key) } }],
    }
    await writeFile(join(directory, 'kubeconfig'), JSON.stringify(kubeconfig))
    assert.match(await run(['apply', '-f', '-'], newest, JSON.stringify(definition(webhook))), /hosts\.e2e\.example\.com created/)
    assert.match(await run(['wait', '--for=condition=Established', `crd/hosts.${group}`]), /condition met/)
  })
  after(async () => {
    await api[Symbol.asyncDispose]()
    await webhook[Symbol.asyncDispose]()
    await rm(directory, { recursive: true })
  })

  const host = (name: string, address: string): string =>
    JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Host', metadata: { name }, spec: { address } })

  for (const { path, version } of kubectls) {
    const name = `h${version.replace('.', '-')}`
    test(`kubectl ${version} writes, reads, selects and explains an object in both versions`, async () => {
      assert.equal(await run(['create', '-f', '-'], path, host(name, 'a.example:1')), `host.${group}/${name} created\n`)
      assert.match(await run(['get', `hosts.v1.${group}`, name], path), /^NAME +ADDRESS\s+h\S+ +a\.example:1\s*$/)
      assert.match(await run(['get', `hosts.v2.${group}`, name], path), /^NAME +HOST +PORT\s+h\S+ +a\.example +1\s*$/)
      assert.equal(
        await run(['patch', `hosts.v2.${group}`, name, '--type=merge', '-p', `{"spec":{"where":{"host":"${name}"}}}`], path),
        `host.${group}/${name} patched\n`,
      )
      assert.equal(await run(['get', `hosts.v1.${group}`, name, '-o', 'jsonpath={.spec.address}'], path), `${name}:1`)
      assert.equal(
        await run(['get', `hosts.v2.${group}`, '--field-selector', `spec.where.host=${name}`, '-o', 'name'], path),
        `host.${group}/${name}\n`,
      )
      const explained = await run(['explain', 'hosts', `--api-version=${group}/v2`, '--recursive'], path)
      for (const field of ['where', 'host', 'port', 'list', 'deep', 'up']) assert.match(explained, new RegExp(`\\b${field}\\b`), explained)
      assert.equal(await run(['delete', `hosts.v2.${group}`, name], path), `host.${group} "${name}" deleted\n`)
    })
  }

  test('kubectl get -w shows changes in the converted version, in order', async () => {
    const child = spawn(
      newest,
      args([
        'get',
        `hosts.v2.${group}`,
        '-w',
        '-o',
        'custom-columns=N:.metadata.name,H:.spec.where.host,P:.spec.where.port',
        '--no-headers',
      ]),
    )
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const next = async (): Promise<string> => String((await lines.next()).value).replaceAll(/ +/g, ' ')
    try {
      await run(['create', '-f', '-'], newest, host('w1', 'one:1'))
      assert.equal(await next(), 'w1 one 1')
      await run(['apply', '-f', '-'], newest, host('w1', 'one:2'))
      await run(['create', '-f', '-'], newest, host('w2', 'two:1'))
      assert.deepEqual([await next(), await next()], ['w1 one 2', 'w2 two 1'])
      await run(['delete', 'hosts', 'w1', 'w2'])
      assert.deepEqual([await next(), await next()], ['w1 one 2', 'w2 two 1'])
    } finally {
      child.kill()
    }
  })

  test('kubectl names a conversion webhook that fails, and no object is lost', async () => {
    await run(['create', '-f', '-'], newest, host('kept', 'a:1'))
    const { answer } = webhook
    webhook.answer = (response) => ({ ...response, result: { status: 'Failure', message: 'out of order' } })
    assert.match(await run(['apply', '-f', '-'], newest, host('kept', 'a:2')), /configured/, 'the stored version needs no conversion')
    assert.match(
      await run(['get', `hosts.v2.${group}`, 'kept']),
      /conversion webhook for e2e\.example\.com\/v1, Kind=Host failed: out of order/,
    )
    webhook.answer = answer
    assert.match(await run(['get', `hosts.v2.${group}`, 'kept']), /kept +a +2/)
    assert.match(await run(['delete', 'hosts', 'kept']), /deleted/)
  })

  test('a version that is no longer served disappears from discovery and OpenAPI, and the objects stay', async () => {
    await run(['create', '-f', '-'], newest, host('stays', 'a:1'))
    const unserved = await run([
      'patch',
      `crd/hosts.${group}`,
      '--type=json',
      '-p',
      '[{"op":"replace","path":"/spec/versions/1/served","value":false}]',
    ])
    assert.match(unserved, /patched/)
    assert.match(await run(['get', `hosts.v2.${group}`]), gone)
    const document = JSON.parse(await run(['get', '--raw', '/openapi/v2'])) as { definitions: Record<string, object> }
    assert.ok(Object.hasOwn(document.definitions, 'com.example.e2e.v1.Host'))
    assert.ok(!Object.hasOwn(document.definitions, 'com.example.e2e.v2.Host'))
    assert.match(await run(['get', `hosts.v1.${group}`, 'stays']), /stays +a:1/)
  })

  test('deleting the definition deletes its objects', async () => {
    assert.match(await run(['delete', 'crd', `hosts.${group}`]), /deleted/)
    assert.match(await run(['get', `hosts.v1.${group}`]), gone)
    assert.equal(api.store.list(`${group}/hosts`).length, 0)
  })
})
