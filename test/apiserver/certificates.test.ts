import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { namespaces } from '#api/core/v1/resources.ts'
import { leases } from '#api/coordination/v1/resources.ts'
import { renderKubeconfig } from '#machine/pki/kubeconfig.ts'
import { requestRenewal, pkiPaths, type Pki } from '#machine/pki/pki.ts'
import { ControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/machine.ts'
import { startLoad, type SteadyLoad } from '../support/load/steady-load.ts'

const perSecond = 50

suite("rotation of an API server's CAs under load", () => {
  let plane: ControlPlane
  let load: SteadyLoad
  let pki: Pki
  let server: string
  before(async () => {
    plane = await ControlPlane.create()
    pki = pkiPaths(join(plane.directory, 'pki'))
    server = /"server":"([^"]+)"/.exec(await readFile(join(plane.directory, 'admin.kubeconfig'), 'utf8'))?.[1] ?? ''
    const mine = join(plane.directory, 'copied-kubeconfig')
    await writeFile(mine, await renderKubeconfig({ server, caFile: pki.ca.certificate, user: 'admin', identity: pki.admin }, 'yaml'))
    plane.start('apiserver')
    const isServing = async (): Promise<boolean> =>
      plane.client.list(namespaces).then(
        () => true,
        () => false,
      )
    await eventually(isServing, () => plane.logOf('apiserver'), 120_000)
    plane.start('one')
    await eventually(isLed, () => plane.logOf('one'), 120_000)
    load = startLoad(mine, perSecond, [
      { method: 'GET', path: '/api/v1/namespaces/kubevirt/configmaps' },
      {
        method: 'POST',
        path: '/api/v1/namespaces/default/configmaps?dryRun=All',
        body: { metadata: { generateName: 'a-' }, data: { a: 'b' } },
      },
      { method: 'GET', path: '/apis/kubevirt.io/v1/virtualmachines' },
    ])
  })
  after(async () => {
    await load.stop()
    await plane[Symbol.asyncDispose]()
  })

  const isLed = async (): Promise<boolean> => {
    const { items } = await plane.client.list(leases, { namespace: 'kubevirt' }).catch(() => ({ items: [] }))
    return items.some(({ spec }) => spec?.holderIdentity === 'one')
  }
  const authoritiesNow = async (): Promise<string[]> =>
    Promise.all([pki.ca, pki.requestHeaderCa].map(({ certificate }) => readFile(certificate, 'utf8')))

  test('two rotations in a row: no request fails, and old kubeconfigs and components keep working', async () => {
    for (let round = 1; round <= 2; round += 1) {
      const before = await authoritiesNow()
      await requestRenewal(join(plane.directory, 'pki'), Date.now())
      const isSigned = async (): Promise<boolean> => {
        const [leaf, own] = await Promise.all([pki.apiserver, pki.ca].map(({ certificate }) => readFile(certificate)))
        return new X509Certificate(leaf ?? '').verify(new X509Certificate(own ?? '').publicKey)
      }
      const isDone = async (): Promise<boolean> =>
        (await authoritiesNow()).every((each, index) => each !== before[index]) && (await isSigned())
      await eventually(isDone, () => plane.logOf('apiserver'), 120_000)
      const sofar = load.answered
      await eventually(
        () => load.answered > sofar + 3 * perSecond,
        () => 'nobody answers any more',
        120_000,
      )
    }
    assert.deepEqual(load.failures, [])
    const authorities = (await readFile(pki.ca.certificate, 'utf8')).split('BEGIN CERTIFICATE').length - 1
    assert.equal(authorities, 3, 'all that were there are believed')
    assert.ok(await isLed())
  })
})
