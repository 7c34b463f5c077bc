import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'

import { StatusError } from '#apimachinery/errors.ts'
import { schemas, values } from '#apimachinery/structural/random.fixture.ts'
import { swaggerDocument } from '#apiserver/openapi/v2-document.ts'
import { openApiV3Document } from '#apiserver/openapi/v3-document.ts'
import { type Loose, startTestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import { serveCustomResources } from './serve-custom-resources.ts'

const garbage = fc.oneof(
  values,
  fc.anything({ maxDepth: 3, withBigInt: false }).map((value) => JSON.parse(JSON.stringify(value) ?? 'null') as unknown),
)
const path = fc.constantFrom('.spec.a', '.spec', 'spec', '.spec[', '..', '.metadata.name', '', '.a[?(@.b==1)]', '.spec.a.b.c')

const definitions = fc.record({
  spec: fc.oneof(
    garbage,
    fc.record(
      {
        group: fc.constantFrom<unknown>('hostile.example.com', '', 1, 'x.k8s.io'),
        scope: fc.constantFrom<unknown>('Namespaced', 'Cluster', 'Everywhere', null),
        names: fc.oneof(
          fc.constant({ plural: 'tabs', kind: 'Tab' }),
          fc.record(
            { plural: fc.constantFrom('tabs'), kind: fc.constantFrom('Tab', '', '9'), shortNames: garbage, categories: garbage },
            { requiredKeys: [] },
          ),
        ),
        preserveUnknownFields: fc.constantFrom<unknown>(false, true, 'yes'),
        conversion: fc.oneof(
          fc.constant(undefined),
          garbage,
          fc.record({ strategy: fc.constantFrom('None', 'Webhook'), webhook: garbage }),
        ),
        versions: fc.oneof(
          garbage,
          fc.array(
            fc.record(
              {
                name: fc.constantFrom('v1', 'v2', 'V'),
                served: fc.boolean(),
                storage: fc.boolean(),
                schema: fc.oneof(garbage, fc.record({ openAPIV3Schema: fc.oneof(schemas, garbage) })),
                subresources: fc.oneof(garbage, fc.record({ status: garbage, scale: garbage }, { requiredKeys: [] })),
                additionalPrinterColumns: fc.oneof(
                  garbage,
                  fc.array(fc.record({ name: fc.string(), type: fc.constantFrom('string', 'date', 'x'), jsonPath: path })),
                ),
                selectableFields: fc.oneof(garbage, fc.array(fc.record({ jsonPath: path }))),
              },
              { requiredKeys: ['name', 'served', 'storage'] },
            ),
            { maxLength: 3 },
          ),
        ),
      },
      { requiredKeys: ['group', 'names', 'scope', 'versions'] },
    ),
  ),
})

const sound: fc.Arbitrary<object> = fc
  .record({
    schema: schemas.map((spec) => ({ openAPIV3Schema: { type: 'object', properties: { spec } } })),
    additionalPrinterColumns: fc.array(
      fc.record({ name: fc.constant('a'), type: fc.constantFrom('string', 'date', 'integer'), jsonPath: path }),
      { maxLength: 1 },
    ),
    names: fc.constantFrom({ plural: 'tabs', kind: 'Tab' }, { plural: 'tabs', kind: 'Tab', shortNames: ['t'] }),
  })
  .map(({ names, ...version }) => ({
    spec: { group: 'hostile.example.com', scope: 'Namespaced', names, versions: [{ name: 'v1', served: true, storage: true, ...version }] },
  }))

test('any definition is either refused with a Status, or served and published', async () => {
  await using server = await startTestServer()
  const errors: unknown[] = []
  using resources = serveCustomResources({
    ...server,
    now: server.time.now,
    randomUuid: randomUUID,
    onError: (error) => void errors.push(error),
  })
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(fc.oneof(sound, definitions), values, async (definition, value) => {
      const object = { metadata: { name: 'tabs.hostile.example.com' }, ...definition } as Loose
      try {
        await server.create('customresourcedefinitions', object)
      } catch (error) {
        assert.ok(error instanceof StatusError && error.code >= 400 && error.code < 500, String(error))
        return
      }
      accepted += 1
      await resources.settled()
      const served = server.registry.all().filter(({ group }) => group === 'hostile.example.com')
      JSON.stringify([openApiV3Document(served, 'v1'), swaggerDocument(served, 'v1')])
      for (const resource of served) {
        const target = { definition: resource, namespace: resource.namespaced ? 'default' : '', name: '', subresource: '' }
        const body = { object: { metadata: { name: 'a' }, spec: value } as Loose, duplicates: [] }
        await server.verbs.create(target, body, { dryRun: false, fieldValidation: 'Ignore' }, server.context).catch((error: unknown) => {
          assert.ok(error instanceof StatusError, String(error))
        })
      }
      await server.verbs.delete(server.target('customresourcedefinitions', 'tabs.hostile.example.com'), { dryRun: false }, server.context)
      await resources.settled()
    }),
    { numRuns: 400 },
  )
  assert.deepEqual(errors, [])
  assert.ok(accepted > 0)
})

test('a deeply nested definition does not exhaust the stack', async () => {
  await using server = await startTestServer()
  using resources = serveCustomResources({
    ...server,
    now: server.time.now,
    randomUuid: randomUUID,
    onError: (error) => assert.fail(String(error)),
  })
  let schema: object = { type: 'string', default: 'a' }
  let value: unknown = {}
  for (let depth = 0; depth < 450; depth++) {
    schema = { type: 'object', properties: { a: schema }, anyOf: [{ required: ['a'] }, {}] }
    value = { a: value }
  }
  await server.create('customresourcedefinitions', {
    metadata: { name: 'tabs.hostile.example.com' },
    spec: {
      group: 'hostile.example.com',
      scope: 'Namespaced',
      names: { plural: 'tabs', kind: 'Tab' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } } },
      ],
    },
  })
  await resources.settled()
  await assert.rejects(server.create('tabs', { metadata: { name: 'a', namespace: 'default' }, spec: value }), { code: 422 })
  const served = server.registry.all().filter(({ group }) => group === 'hostile.example.com')
  assert.ok(JSON.stringify([openApiV3Document(served, 'v1'), swaggerDocument(served, 'v1')]).length > 0)
})
