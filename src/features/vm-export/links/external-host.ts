import { X509Certificate } from 'node:crypto'
import type { Ingress } from '#api/networking/v1/ingress.ts'
import type { Route } from '#api/openshift-route/v1/route.ts'

/** KubeVirt's name of the Service that leads to exports. Ingresses and Routes name it. */
export const exportProxyService = 'virt-exportproxy'

/** Returns the host of the first Ingress that leads to exports, by KubeVirt's rule. Pure. */
export function hostOfIngress(ingresses: readonly Ingress[]): { readonly host: string; readonly secretName: string } | undefined {
  for (const { spec } of ingresses) {
    const { defaultBackend, rules = [], tls = [] } = spec ?? {}
    const backend = defaultBackend?.service?.name
    const host =
      backend === undefined
        ? rules.find(({ host: named = '', http }) => named !== '' && http?.paths.some((path) => isProxy(path.backend.service?.name)))?.host
        : isProxy(backend)
          ? rules[0]?.host
          : undefined
    if (host !== undefined && host !== '') return { host, secretName: tls.find((one) => (one.secretName ?? '') !== '')?.secretName ?? '' }
  }
  return undefined
}

/** Returns the host of the first Route that leads to exports and that a router serves. Pure. */
export function hostOfRoute(routes: readonly Route[]): string | undefined {
  return routes
    .filter(({ spec }) => isProxy(spec.to.name))
    .map(({ status }) => status?.ingress?.[0]?.host ?? '')
    .find((host) => host !== '')
}

function isProxy(name: string | undefined): boolean {
  return name === exportProxyService
}

/**
 * Returns what clients verify a host by: of the certificates in a bundle the one of the host that
 * holds longest, with its issuers; if none is of the host, all that hold. KubeVirt's rule. Pure.
 */
export function certificatesOf(host: string, pem: string, nowMs: number): string {
  const holding = (pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [])
    .flatMap(parsed)
    .filter(({ validFromDate, validToDate }) => validFromDate.getTime() <= nowMs && nowMs < validToDate.getTime())
  const [best] = holding
    .filter((one) => one.checkHost(host) !== undefined)
    .toSorted((one, other) => other.validToDate.getTime() - one.validToDate.getTime())
  return (best === undefined ? holding : withIssuers(best, holding)).map(String).join('').trim()
}

function parsed(pem: string): X509Certificate[] {
  try {
    return [new X509Certificate(pem)]
  } catch {
    return []
  }
}

function withIssuers(certificate: X509Certificate, others: readonly X509Certificate[]): X509Certificate[] {
  const chain = [certificate]
  for (let last = certificate; ;) {
    const issuer = others.find((one) => one.subject === last.issuer && !chain.includes(one))
    if (issuer === undefined) return chain
    chain.push(issuer)
    last = issuer
  }
}
