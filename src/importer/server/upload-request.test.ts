import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { parseUploadRequest } from './upload-request.ts'

const digest = createHash('sha256').update('x').digest()
type Row = readonly [what: string, method: string, url: string, headers: Record<string, string>, expected: number | object]
const plain = { isAsync: false, isForm: false, offset: 0, isLast: true }
const named = '/v1beta1/upload-async?upload=a:1'

suite('parseUploadRequest()', () => {
  const rows: readonly Row[] = [
    ['a file', 'POST', '/v1beta1/upload', { 'content-length': '7' }, { method: 'POST', ...plain, total: 7 }],
    ['of the first version', 'POST', '/v1alpha1/upload-async', {}, { method: 'POST', ...plain, isAsync: true }],
    ['an archive', 'POST', '/v1beta1/upload-archive', {}, { method: 'POST', ...plain }],
    ['a form', 'POST', '/v1beta1/upload-form-async', { 'content-length': '7' }, { method: 'POST', ...plain, isForm: true, isAsync: true }],
    ['the question of virtctl', 'HEAD', '/v1beta1/upload-async', {}, { method: 'HEAD', ...plain, isAsync: true }],
    ['a question that CDI does not answer', 'HEAD', '/v1beta1/upload', {}, 404],
    ['another path', 'POST', '/v1beta1/uploads', {}, 404],
    ['another version', 'POST', '/v2/upload', {}, 404],
    ['another method', 'GET', '/v1beta1/upload', {}, 404],
    ['the rest of an upload without a name', 'PATCH', '/v1beta1/upload', { 'upload-offset': '3' }, 404],
    ['an upload with a name', 'POST', named, {}, { method: 'POST', ...plain, isAsync: true, id: 'a:1' }],
    ['the question how far it is', 'HEAD', '/v1beta1/upload?upload=a', {}, { method: 'HEAD', ...plain, id: 'a' }],
    [
      'its rest',
      'PATCH',
      named,
      { 'upload-offset': '3', 'content-length': '4', 'repr-digest': `md5=:AA==:, sha-256=:${digest.toString('base64')}:` },
      { method: 'PATCH', ...plain, isAsync: true, id: 'a:1', offset: 3, total: 7, checksum: `sha256:${digest.toString('hex')}` },
    ],
    [
      'a part of it',
      'PATCH',
      named,
      { 'upload-offset': '3', 'upload-complete': '?0', 'content-length': '2000000', 'upload-length': '9000000' },
      { method: 'PATCH', ...plain, isAsync: true, id: 'a:1', offset: 3, isLast: false, total: 9_000_000 },
    ],
    ['a part that is too small', 'PATCH', named, { 'upload-offset': '3', 'upload-complete': '?0', 'content-length': '9' }, 400],
    ['a part without a name', 'POST', '/v1beta1/upload', { 'upload-complete': '?0' }, 400],
    ['a rest without a place', 'PATCH', named, {}, 400],
    ['a rest at no place', 'PATCH', named, { 'upload-offset': '-1' }, 400],
    ['a rest beyond numbers', 'PATCH', named, { 'upload-offset': '9'.repeat(16) }, 400],
    ['a beginning elsewhere', 'POST', named, { 'upload-offset': '3' }, 400],
    ['a wrong flag', 'POST', named, { 'upload-complete': 'yes' }, 400],
    ['a wrong digest', 'POST', named, { 'repr-digest': 'sha-256=:AA==:' }, 400],
    ['a form with a name', 'POST', '/v1beta1/upload-form?upload=a', {}, 400],
    ['a name with a slash', 'POST', '/v1beta1/upload?upload=a%2fb', {}, 400],
    ['no name', 'POST', '/v1beta1/upload?upload=', {}, 400],
  ]
  for (const [what, method, url, headers, expected] of rows)
    test(what, () => {
      const found = parseUploadRequest({ method, url, headers })
      assert.deepEqual('status' in found ? found.status : found, expected)
    })

  test('never fails, whatever a client sends', () => {
    const field = fc.option(fc.oneof(fc.string(), fc.constantFrom('?0', '?1', '7', 'sha-256=:AA==:')), { nil: undefined })
    fc.assert(
      fc.property(
        fc.constantFrom('HEAD', 'POST', 'PATCH', 'PUT'),
        fc.string(),
        fc.string(),
        field,
        field,
        (method, path, query, one, other) => {
          const headers = { 'upload-offset': one, 'upload-length': other, 'upload-complete': one, 'repr-digest': other }
          parseUploadRequest({ method, url: `${path}?${query}`, headers })
          parseUploadRequest({ method, url: `/v1beta1/upload-async?upload=${query}`, headers })
        },
      ),
    )
  })
})
