import assert from 'node:assert/strict'
import { test } from 'node:test'
import { componentNamespace } from '#api/access/component-users.ts'
import { secrets } from '#api/core/v1/resources.ts'
import { ingresses } from '#api/networking/v1/resources.ts'
import { routes } from '#api/openshift-route/v1/resources.ts'
import { forbidden, notFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { createAuthority } from '#runtime/certificates/authority.ts'
import { clusterLinks } from './cluster-link.ts'

const vmExport = { metadata: { namespace: 'n', name: 'e' }, spec: { source: { kind: 'PersistentVolumeClaim', name: 'c' } } }
const ingress = {
  metadata: { name: 'i' },
  spec: { defaultBackend: { service: { name: 'virt-exportproxy' } }, rules: [{ host: 'a.test' }], tls: [{ secretName: 's' }] },
}
const route = { metadata: { name: 'r' }, spec: { to: { name: 'virt-exportproxy' } }, status: { ingress: [{ host: 'b.test' }] } }

test('external links are those of an Ingress or else a Route, and their absence is explained', async () => {
  let now = Date.now()
  const { own } = await createAuthority({ commonName: 'a.test', nowMs: now - 1000, lifetimeMs: 3_600_000 })
  const kinds = new Map<string, readonly object[] | Error>([[ingresses.kind, []]])
  let secret: object | undefined = { data: { 'tls.crt': Buffer.from(own.certificate).toString('base64') } }
  let reads = 0
  const client = {
    list: async (resource: { kind: string; plural: string }, { namespace }: { namespace: string }) => {
      reads++
      assert.equal(namespace, componentNamespace)
      const items = kinds.get(resource.kind)
      if (items === undefined) throw notFound(secrets, resource.plural)
      if (items instanceof Error) throw items
      return { items }
    },
    get: async (resource: { kind: string }, { name }: { name: string }) => {
      if (resource.kind !== secrets.kind || name !== 's' || secret === undefined) throw notFound(secrets, name)
      return secret
    },
  } as unknown as Client
  const links = clusterLinks({ client, clock: { now: () => now } })
  const ask = async () => {
    now += 20_000
    return links(vmExport)
  }
  const none = await ask()
  assert.deepEqual([none.base, none.problem?.includes('Service virt-exportproxy')], [undefined, true])
  const before = reads
  await links(vmExport)
  assert.equal(reads, before, 'what was read counts for a while')

  kinds.set(routes.kind, [route])
  const byRoute = await ask()
  assert.match(byRoute.base?.hostAndBase ?? '', /^b\.test\/api\/export\.kubevirt\.io\/v1\/namespaces\/n\/virtualmachineexports\/e$/)
  assert.match(byRoute.problem ?? '', /no certificate for host b\.test in ConfigMap/)

  kinds.set(ingresses.kind, [ingress])
  const byIngress = await ask()
  assert.deepEqual([byIngress.base?.certificates, byIngress.problem], [own.certificate.trim(), undefined])
  secret = undefined
  assert.match((await ask()).problem ?? '', /a\.test in Secret kubevirt\/s/)

  kinds.set(ingresses.kind, forbidden(ingresses, '', 'no'))
  assert.match((await ask()).problem ?? '', /may not look/)
})
