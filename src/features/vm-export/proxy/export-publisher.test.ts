import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { externalPathOf, readExportRoute } from './export-publisher.ts'

suite('readExportRoute()', () => {
  const base = '/api/export.kubevirt.io/v1/namespaces/n/virtualmachineexports/e.1'
  const to = (url: string) => ({ namespace: 'n', name: 'e.1', url })
  const rows = [
    [`${base}/volumes/a/disk.img`, to('/volumes/a/disk.img')],
    [`${base}/external/manifests/all?x-kubevirt-export-token=t`, to('/external/manifests/all?x-kubevirt-export-token=t')],
    [`${base.replace('/v1/', '/v1beta1/')}/volumes/a/dir/b%20c`, to('/volumes/a/dir/b%20c')],
    [base, undefined],
    [`${base.replace('/v1/', '/v2/')}/x`, undefined],
    [`${base.replace('/n/', '/../')}/x`, undefined],
    [`${base.replace('/n/', '/a%2fb/')}/x`, undefined],
    ['/api/export.kubevirt.io/', undefined],
  ] as const
  for (const [url, expected] of rows) test(url, () => assert.deepEqual(readExportRoute(url), expected))
  test('reads what links have', () => assert.deepEqual(readExportRoute(`${externalPathOf('n', 'e.1')}/x`), to('/x')))
})
