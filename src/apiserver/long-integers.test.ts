import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versionInfo } from './discovery/version.ts'
import { startEmbeddedApi } from './embedded-api.ts'
import { connectTo, type TestClient } from './http/http2-client.fixture.ts'
import { createTestAuthority } from './http/tls.fixture.ts'
import { scratch } from './storage/store.fixture.ts'

const largest = '9223372036854775807'
const before = '9223372036854775806'
const collection = '/apis/example.org/v1/namespaces/default/counters'
const definition = `{
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "counters.example.org"},
  "spec": {
    "group": "example.org", "scope": "Namespaced", "names": {"plural": "counters", "kind": "Counter"},
    "versions": [{
      "name": "v1", "served": true, "storage": true,
      "selectableFields": [{"jsonPath": ".spec.count"}],
      "additionalPrinterColumns": [{"name": "Count", "type": "integer", "jsonPath": ".spec.count"}],
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {
        "type": "object",
        "x-kubernetes-validations": [{"rule": "self.count >= ${before}", "message": "is too small"}],
        "properties": {
          "count": {"type": "integer", "format": "int64", "maximum": ${largest}},
          "preset": {"type": "integer", "default": ${before}},
          "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "integer"}}
        }
      }}}}
    }]
  }
}`

const counter = (name: string, spec: string): string =>
  `{"apiVersion":"example.org/v1","kind":"Counter","metadata":{"name":"${name}"},"spec":${spec}}`

test('custom resources keep 64-bit integers through every way of writing and reading them', async () => {
  using directory = scratch()
  const authority = await createTestAuthority()
  const [serving, admin] = await Promise.all([authority.issue('apiserver', [], true), authority.issue('admin', ['system:masters'])])
  const start = () =>
    startEmbeddedApi({
      database: directory.file,
      synchronous: 'NORMAL',
      port: 0,
      tls: { ...serving, clientCa: authority.cert },
      version: versionInfo('test', { commit: '', date: '2026-01-01T00:00:00Z', platform: 'linux/amd64' }),
      now: () => Date.now(),
      random: () => 0.5,
      log: { info: () => {}, warn: () => {}, error: () => {} },
    })
  const send = async (client: TestClient, method: string, path: string, type: string, body: string): Promise<string> => {
    const { status, text } = await client.request(method, path, { headers: { 'content-type': type }, body })
    assert.ok(status < 300, text)
    return text
  }
  const json = 'application/json'
  {
    await using api = await start()
    using client = connectTo({ server: api.server, authority, admin })
    await send(client, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', json, definition)
    while ((await client.request('GET', collection)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 20))

    const made = await send(client, 'POST', collection, json, counter('a', `{"count":${largest}}`))
    assert.match(made, new RegExp(`"spec":{"count":${largest},"preset":${before}}`))
    const yaml = `apiVersion: example.org/v1\nkind: Counter\nmetadata: {name: yaml}\nspec: {count: ${largest}}\n`
    assert.match(await send(client, 'POST', collection, 'application/yaml', yaml), new RegExp(`"count":${largest}`))

    const merged = await send(client, 'PATCH', `${collection}/a`, 'application/merge-patch+json', `{"spec":{"count":${before}}}`)
    assert.match(merged, new RegExp(`"count":${before}`))
    const operations = `[{"op":"test","path":"/spec/count","value":${before}},{"op":"replace","path":"/spec/count","value":${largest}}]`
    assert.match(
      await send(client, 'PATCH', `${collection}/a`, 'application/json-patch+json', operations),
      new RegExp(`"count":${largest}`),
    )

    const apply = (manager: string, set: string): Promise<string> =>
      send(
        client,
        'PATCH',
        `${collection}/applied?fieldManager=${manager}`,
        'application/apply-patch+yaml',
        counter('applied', `{"count":${largest},"set":${set}}`),
      )
    await apply('one', `[${before}]`)
    const applied = await apply('two', `[${largest}]`)
    assert.match(applied, new RegExp(`"set":\\[${before},${largest}\\]`))
    assert.match(applied, new RegExp(`"v:${largest}":{}`))

    const refused = await client.request('POST', collection, { headers: { 'content-type': json }, body: counter('b', `{"count":5}`) })
    assert.match(refused.text, /is too small/)
    const beyond = counter('b', `{"count":9223372036854775808}`)
    const tooLong = await client.request('POST', collection, { headers: { 'content-type': json }, body: beyond })
    assert.equal(tooLong.status, 422)
    assert.match(tooLong.text, /spec.count in body must be of type integer/)
  }
  await using api = await start()
  using client = connectTo({ server: api.server, authority, admin })
  const read = async (path: string, accept = json): Promise<string> => (await client.request('GET', path, { headers: { accept } })).text
  assert.match(await read(`${collection}/a`), new RegExp(`"count":${largest}`))
  assert.match(await read(`${collection}/a?pretty=true`), new RegExp(`"count": ${largest}`))
  assert.match(await read(`${collection}/a`, 'application/yaml'), new RegExp(`count: ${largest}`))
  assert.match(await read(`${collection}?fieldSelector=spec.count=${largest}`), new RegExp(`"count":${largest}`))
  assert.match(await read(collection, 'application/json;as=Table;v=v1;g=meta.k8s.io'), new RegExp(`"cells":\\["a",${largest}\\]`))
  // A label changes the object without its numbers.
  const labelled = await send(client, 'PATCH', `${collection}/a`, 'application/merge-patch+json', '{"metadata":{"labels":{"a":"b"}}}')
  assert.match(labelled, new RegExp(`"count":${largest}`))
  const same = await send(client, 'PUT', `${collection}/a`, json, labelled)
  assert.equal(JSON.parse(same).metadata.resourceVersion, JSON.parse(labelled).metadata.resourceVersion)
  assert.match(JSON.parse(same).metadata.uid, /./)
})
