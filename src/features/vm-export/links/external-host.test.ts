import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Ingress, IngressRule } from '#api/networking/v1/ingress.ts'
import type { Route } from '#api/openshift-route/v1/route.ts'
import { createAuthority } from '#runtime/certificates/authority.ts'
import { certificatesOf, hostOfIngress, hostOfRoute } from './external-host.ts'

const ruleOf = (host: string | undefined, service: string): IngressRule => ({
  ...(host === undefined ? {} : { host }),
  http: { paths: [{ pathType: 'Prefix', backend: { service: { name: service } } }] },
})
const ingressOf = (rules: IngressRule[], backend?: string): Ingress => ({
  metadata: { name: 'i' },
  spec: { rules, tls: [{}, { secretName: 's' }], ...(backend === undefined ? {} : { defaultBackend: { service: { name: backend } } }) },
})

suite('hostOfIngress()', () => {
  const rows: readonly (readonly [string, readonly Ingress[], string | undefined])[] = [
    ['there is none', [], undefined],
    ['of another service', [ingressOf([ruleOf('a.test', 'web')])], undefined],
    ['by a rule', [ingressOf([ruleOf('a.test', 'web'), ruleOf('b.test', 'virt-exportproxy')])], 'b.test'],
    ['by a rule without a host', [ingressOf([ruleOf(undefined, 'virt-exportproxy')])], undefined],
    ['by the default backend', [ingressOf([{ host: 'c.test' }], 'virt-exportproxy')], 'c.test'],
    ['whose default backend is another', [ingressOf([ruleOf('d.test', 'virt-exportproxy')], 'web')], undefined],
    ['of several', [ingressOf([]), ingressOf([ruleOf('e.test', 'virt-exportproxy')])], 'e.test'],
  ]
  for (const [what, found, host] of rows)
    test(what, () => assert.deepEqual(hostOfIngress(found), host === undefined ? undefined : { host, secretName: 's' }))
})

test('hostOfRoute() is the host of a Route that a router serves', () => {
  const routeOf = (name: string, ...hosts: string[]): Route => ({
    metadata: { name: 'r' },
    spec: { to: { name } },
    status: { ingress: hosts.map((host) => ({ host })) },
  })
  assert.equal(hostOfRoute([routeOf('web', 'a.test'), routeOf('virt-exportproxy'), routeOf('virt-exportproxy', 'b.test')]), 'b.test')
})

test('certificatesOf() finds the certificate of a host, and what signed it', async () => {
  const nowMs = Date.now()
  const term = { nowMs, lifetimeMs: 3_600_000 }
  const authority = await createAuthority({ commonName: 'root', ...term })
  const other = await createAuthority({ commonName: 'other', ...term })
  const issue = async (value: string, lifetimeMs: number): Promise<string> =>
    (
      await authority.issue({ subject: `CN=${value}`, usage: 'server', names: [{ type: 'dns', value }], nowMs, lifetimeMs })
    ).certificate.trim()
  const [exact, wild, longer] = [await issue('a.test', 1_000_000), await issue('*.apps.test', 1_000_000), await issue('a.test', 2_000_000)]
  const [root, foreign] = [authority.own.certificate.trim(), other.own.certificate.trim()]
  const bundle = [foreign, exact, wild, longer, root].join('\n')
  const count = (pem: string): number => pem.split('BEGIN').length - 1
  const found = certificatesOf('a.test', bundle, nowMs + 1000)
  assert.deepEqual([found.startsWith(longer), found.endsWith(root), count(found)], [true, true, 2])
  assert.ok(certificatesOf('x.apps.test', bundle, nowMs + 1000).startsWith(wild))
  assert.equal(count(certificatesOf('b.test', bundle, nowMs + 1000)), 5, 'all of them')
  assert.equal(certificatesOf('b.test', bundle, nowMs + 4_000_000), '', 'none that has expired')
  assert.equal(certificatesOf('b.test', 'no certificate', nowMs), '')
})
