import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { AggregatedGroup } from './aggregated-group.ts'
import { routeOf } from './route.ts'

const responseKind = { group: 'kubevirt.io', version: 'v1', kind: 'VirtualMachine' }
const group: AggregatedGroup = {
  group: 'sub.example.test',
  versions: ['v1', 'v1alpha3'],
  resources: [
    { resource: 'things', subresource: 'start', responseKind, handlers: {} },
    { resource: 'things', subresource: 'move/cancel', responseKind, handlers: {} },
    { resource: 'things', subresource: 'forward', hasTail: true, responseKind, handlers: {} },
    { resource: 'expand', responseKind, handlers: {} },
    { resource: 'version', namespaced: false, responseKind, handlers: {} },
  ],
}
const base = '/apis/sub.example.test'

const rows: readonly (readonly [string, string | undefined])[] = [
  ['/apis', 'groups'],
  ['/apis/', 'groups'],
  [base, 'group'],
  [`${base}/v1`, 'version'],
  [`${base}/v1alpha3`, 'version'],
  [`${base}/v2`, undefined],
  ['/apis/other.test', undefined],
  [`${base}/v1/namespaces/a/things/b/start`, 'a/b'],
  [`${base}/v1alpha3/namespaces/a/things/b/start`, 'a/b'],
  [`${base}/v1/namespaces/a/expand`, 'a/'],
  [`${base}/v1/version`, '/'],
  [`${base}/v1/namespaces/a/version`, undefined],
  [`${base}/v1/version/more`, undefined],
  [`${base}/v1/expand`, undefined],
  [`${base}/v1/namespaces`, undefined],
  [`${base}/v1/namespaces/a`, undefined],
  [`${base}/v1/namespaces/a/things/b`, undefined],
  [`${base}/v1/namespaces/a/things`, undefined],
  [`${base}/v1/namespaces/a/things/start`, undefined],
  [`${base}/v1/namespaces/a/expand/b`, undefined],
  [`${base}/v1/namespaces/a/things/b/stop`, undefined],
  [`${base}/v1/namespaces/a/things/b/start/more`, undefined],
  [`${base}/v1/namespaces/a/things/b/move/cancel`, 'a/b'],
  [`${base}/v1/namespaces/a/things/b/move`, undefined],
  [`${base}/v1/namespaces/a/things/b/forward/22/tcp`, 'a/b'],
  [`${base}/v1/namespaces/a/things/b/forward`, 'a/b'],
  [`${base}/v1/namespaces/a/things/b/forwards/22`, undefined],
  [`${base}/v1/namespaces//things/b/start`, undefined],
  [`${base}/v1/namespaces/a/things/%2e%2e/start`, undefined],
  [`${base}/v1/namespaces/a/things/b%2Fstart/start`, undefined],
  [`${base}/v1/namespaces/a/things/%ff/start`, undefined],
  [`${base}/v1/namespaces/a/things/b%20c/start`, 'a/b c'],
  ['/', undefined],
  ['', undefined],
]

suite('routeOf()', () => {
  for (const [path, wanted] of rows) {
    test(`reads ${path === '' ? 'an empty path' : path} as ${wanted ?? 'nothing'}`, () => {
      const route = routeOf(group, path)
      assert.equal(route?.kind === 'resource' ? `${route.namespace}/${route.name}` : route?.kind, wanted)
    })
  }

  test('never throws, and returns no name with a separator', () => {
    const segment = fc.oneof(
      fc.constantFrom(
        'namespaces',
        'things',
        'start',
        'expand',
        'version',
        'v1',
        'a',
        '',
        '.',
        '..',
        '%2e%2e',
        '%2F',
        '%00',
        '%',
        '%e2%82',
      ),
      fc.string({ unit: 'binary' }),
    )
    const path = fc.array(segment, { maxLength: 8 }).map((segments) => `${base}/v1/${segments.join('/')}`)
    fc.assert(
      fc.property(fc.oneof(path, fc.string({ unit: 'binary' })), (text) => {
        const route = routeOf(group, text)
        if (route?.kind !== 'resource') return
        for (const name of [route.namespace, route.name]) assert.ok(!name.includes('/') && name !== '.' && name !== '..')
        assert.equal(route.name === '', route.resource.subresource === undefined)
        assert.equal(route.namespace === '', route.resource.namespaced === false)
      }),
      { numRuns: 2_000 },
    )
  })
})
