import { componentGroups, componentUser, nodeNameExtra, type Component } from '#api/access/component-users.ts'
import type { Identity, Pki } from './pki.ts'

/** Releases before v0.2.0 recognize components by this group; such a virt-api may still run. */
const OLDER_GROUP = 'system:steadyvm'

/** An authority and the certificates that it signs. */
export interface SignerGroup {
  readonly identity: Identity
  readonly commonName: string
  readonly certificates: readonly CertificateSpec[]
}

/** A certificate to issue. */
export interface CertificateSpec {
  readonly identity: Identity
  readonly subject: string
  readonly usage: 'client' | 'server'
}

/** Lists all certificates of a machine by authority. Pure. */
export function signerGroups(
  pki: Pki,
  nodes: readonly string[],
): readonly [cluster: SignerGroup, requestHeader: SignerGroup, migration: SignerGroup] {
  const client = (identity: Identity, subject: string): CertificateSpec => ({ identity, subject, usage: 'client' })
  const component = (identity: Identity, name: Component, ...groups: readonly string[]): CertificateSpec =>
    client(identity, [...componentGroups, OLDER_GROUP, ...groups].map((group) => `O=${group},`).join('') + `CN=${componentUser(name)}`)
  return [
    {
      identity: pki.ca,
      commonName: 'steadyvm',
      certificates: [
        { identity: pki.apiserver, subject: 'CN=kube-apiserver', usage: 'server' },
        client(pki.admin, 'O=system:masters,CN=kubernetes-admin'),
        component(pki.virtApi, 'virt-api'),
        component(pki.virtController, 'virt-controller'),
        component(pki.virtOperator, 'virt-operator'),
        ...nodes.flatMap((node) => [
          client(pki.node(node), `O=system:nodes,CN=system:node:${node}`),
          component(pki.virtHandler(node), 'virt-handler', `${nodeNameExtra}=${node}`),
        ]),
      ],
    },
    { identity: pki.requestHeaderCa, commonName: 'requestheader-ca', certificates: [client(pki.proxyClient, 'CN=front-proxy-client')] },
    {
      identity: pki.migrationCa,
      commonName: 'migration-ca',
      certificates: nodes.flatMap((node) => [
        { identity: pki.migration(node).server, subject: `CN=${node}`, usage: 'server' },
        client(pki.migration(node).client, `CN=${node}`),
      ]),
    },
  ]
}
