import { componentNamespace } from '#api/access/component-users.ts'
import { configMaps, secrets } from '#api/core/v1/resources.ts'
import { ingresses } from '#api/networking/v1/resources.ts'
import { routes } from '#api/openshift-route/v1/resources.ts'
import { isForbidden } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { externalPathOf } from '../proxy/index.ts'
import type { Ports } from '../ports.ts'
import { certificatesOf, exportProxyService, hostOfIngress, hostOfRoute } from './external-host.ts'
import type { External } from './link.ts'
import { rootCertificates } from './published-link.ts'

/** Milliseconds for which what was found counts. Exports are looked at more often. */
const fresheningMs = 10_000

interface Address {
  /** Undefined: nothing leads to exports. */
  readonly host?: string
  readonly certificates?: string
  readonly problem?: string
}

/**
 * Returns the external links of a cluster: by an Ingress or a Route in the namespace of the
 * components that leads to the Service of virt-exportproxy, as in KubeVirt. They are read on
 * demand: a cluster may not have the kind.
 */
export function clusterLinks({
  client,
  clock,
}: {
  readonly client: Pick<Client, 'get' | 'list'>
  readonly clock: Pick<Clock, 'now'>
}): Ports['external'] {
  let known: { readonly atMs: number; readonly address: Promise<Address> } | undefined
  return async ({ metadata }): Promise<External> => {
    const now = clock.now()
    if (known === undefined || now - known.atMs >= fresheningMs) known = { atMs: now, address: findAddress(client, now) }
    let address: Address
    try {
      address = await known.address
    } catch (error) {
      known = undefined
      throw error
    }
    const { host, certificates = '', problem } = address
    const base =
      host === undefined
        ? {}
        : {
            base: {
              side: 'external' as const,
              hostAndBase: `${host}${externalPathOf(metadata.namespace ?? '', metadata.name ?? '')}`,
              certificates,
            },
          }
    return { ...base, ...(problem === undefined ? {} : { problem }) }
  }
}

async function findAddress(client: Pick<Client, 'get' | 'list'>, nowMs: number): Promise<Address> {
  const namespace = componentNamespace
  try {
    const ingress = hostOfIngress((await found(client.list(ingresses, { namespace })))?.items ?? [])
    if (ingress !== undefined) {
      const { host, secretName } = ingress
      const secret = secretName === '' ? undefined : await found(client.get(secrets, { namespace, name: secretName }))
      const pem = Buffer.from(secret?.data?.['tls.crt'] ?? '', 'base64').toString()
      return withCertificates(host, certificatesOf(host, pem, nowMs), `Secret ${namespace}/${secretName} of its Ingress`)
    }
    const host = hostOfRoute((await found(client.list(routes, { namespace })))?.items ?? [])
    if (host !== undefined) {
      const bundle = await found(client.get(configMaps, { namespace, name: rootCertificates.name }))
      const pem = bundle?.data?.[rootCertificates.key] ?? ''
      return withCertificates(host, certificatesOf(host, pem, nowMs), `ConfigMap ${namespace}/${rootCertificates.name}`)
    }
  } catch (error) {
    // A role of an earlier release, while two run.
    if (!isForbidden(error) || !(error instanceof Error)) throw error
    return { problem: `virt-controller may not look for a way from outside: ${error.message}` }
  }
  return {
    problem:
      `no Ingress or Route in namespace ${namespace} leads to Service ${exportProxyService}: ` +
      'create one, or download with "virtctl vmexport download --port-forward"',
  }
}

function withCertificates(host: string, certificates: string, place: string): Address {
  if (certificates !== '') return { host, certificates }
  return { host, problem: `there is no certificate for host ${host} in ${place}: clients have to know one` }
}
