import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { bodyFormat, negotiate, patchType, wantsPretty } from './content-negotiation.ts'

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json'

suite('negotiate()', () => {
  const list = { list: true, watch: false }
  const cases = [
    ['gives JSON when nothing is asked', undefined, list, { format: 'json', view: 'object', metaVersion: 'v1' }],
    ['gives JSON for anything', '*/*', list, { format: 'json', view: 'object', metaVersion: 'v1' }],
    ['gives the table that kubectl get asks for', table, list, { format: 'json', view: 'table', metaVersion: 'v1' }],
    ['skips protobuf', 'application/vnd.kubernetes.protobuf,application/json', list, { format: 'json', view: 'object', metaVersion: 'v1' }],
    [
      'skips protobuf with a view',
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
      list,
      { format: 'json', view: 'metadata', metaVersion: 'v1' },
    ],
    [
      'skips a view of single objects on a list',
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
      list,
      { format: 'json', view: 'object', metaVersion: 'v1' },
    ],
    ['skips unknown versions of a view', 'application/json;as=Table;g=meta.k8s.io;v=v2', list, undefined],
    ['honours quality', 'application/json;q=0.5,application/yaml', list, { format: 'yaml', view: 'object', metaVersion: 'v1' }],
    ['has no YAML watches', 'application/yaml', { list: false, watch: true }, undefined],
    ['refuses what it does not know', 'text/html', list, undefined],
  ] as const
  for (const [name, accept, endpoint, expected] of cases) test(name, () => assert.deepEqual(negotiate(accept, endpoint), expected))
})

test('bodyFormat() ignores parameters of the media type', () => {
  assert.equal(bodyFormat('application/json; charset=utf-8'), 'json')
  assert.equal(bodyFormat(undefined), 'json')
  assert.equal(bodyFormat('application/vnd.kubernetes.protobuf'), 'protobuf')
  assert.equal(bodyFormat('text/plain'), undefined)
})

test('patchType() knows the four patch types', () => {
  assert.equal(patchType('application/strategic-merge-patch+json'), 'strategic')
  assert.equal(patchType('application/apply-patch+yaml; charset=utf-8'), 'apply')
  assert.equal(patchType('application/json'), undefined)
})

test('wantsPretty() indents for browsers and curl, unless told otherwise', () => {
  assert.equal(wantsPretty(null, 'curl/8.0'), true)
  assert.equal(wantsPretty('false', 'curl/8.0'), false)
  assert.equal(wantsPretty(null, 'kubectl/v1.33'), false)
})
