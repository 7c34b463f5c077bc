import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessPath, parseAccessPath } from './agent-access.ts'

test('parseAccessPath() reads what accessPath() writes, and nothing else', () => {
  for (const subresource of ['console', 'vnc', 'vnc/screenshot', 'reset', 'guestosinfo'] as const) {
    const access = { namespace: 'ns', name: 'web', subresource }
    assert.deepEqual(parseAccessPath(accessPath(access)), access)
  }
  const base = '/v1/namespaces/ns/virtualmachineinstances/web'
  for (const path of ['', base, `${base}/other`, `${base}/console/`, `${base}/../web/console`, `/v2${base}/console`, `${base}%/console`])
    assert.equal(parseAccessPath(path), undefined, path)
})
