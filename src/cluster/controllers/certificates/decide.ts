import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KeyUsage } from '#runtime/certificates/authority.ts'
import type { SigningRequest } from '#runtime/certificates/signing-request.ts'

/** Signers of the cluster. */
export const signers = {
  client: 'kubernetes.io/kube-apiserver-client',
  kubeletClient: 'kubernetes.io/kube-apiserver-client-kubelet',
  kubeletServing: 'kubernetes.io/kubelet-serving',
} as const

/** Longest and shortest lifetime of a certificate, in seconds; the longest is the default. */
const longestSeconds = 365 * 86_400
const shortestSeconds = 600

/** Next step of a request. */
export type SigningStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'fail'; readonly message: string }
  | { readonly kind: 'sign'; readonly usages: readonly KeyUsage[]; readonly lifetimeSeconds: number }

const none: SigningStep = { kind: 'none' }

/** Reports whether a request waits for a signer of the cluster. Pure. */
export function awaitsSigner({ spec, status, metadata }: CertificateSigningRequest): boolean {
  const { conditions, certificate = '' } = status ?? {}
  return (
    (Object.values(signers) as string[]).includes(spec.signerName) &&
    isTrue(conditions, 'Approved') &&
    !isTrue(conditions, 'Failed') &&
    certificate === '' &&
    !isBeingDeleted({ metadata })
  )
}

/**
 * Decides about an approved request, by the rules of its signer. `content` is an error when the
 * request cannot be read. Pure.
 */
export function decideSigning(request: CertificateSigningRequest, content: SigningRequest | Error): SigningStep {
  if (!awaitsSigner(request)) return none
  if (content instanceof Error) return { kind: 'fail', message: content.message }
  const { signerName, usages = [], expirationSeconds } = request.spec
  const problem = signerName === signers.client ? clientProblem(content, usages) : kubeletProblem(signerName, content, usages)
  if (problem !== undefined) return { kind: 'fail', message: problem }
  const seconds = expirationSeconds ?? longestSeconds
  return {
    kind: 'sign',
    usages: usages as readonly KeyUsage[],
    lifetimeSeconds: Math.min(longestSeconds, Math.max(shortestSeconds, seconds)),
  }
}

function clientProblem({ organizations }: SigningRequest, usages: readonly string[]): string | undefined {
  // kube-apiserver refuses such a request at its creation: an approval must not make a user
  // administrator of the cluster.
  if (organizations.includes('system:masters')) return `use of ${signers.client} signer with system:masters group is not allowed`
  const wrong = usages.find((usage) => !['digital signature', 'key encipherment', 'client auth'].includes(usage))
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth'
}

function kubeletProblem(signerName: string, { organizations, commonName, names }: SigningRequest, usages: readonly string[]) {
  const serves = signerName === signers.kubeletServing
  const { dns, addresses, emails, uris } = names
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes') return 'subject organization is not system:nodes'
  if (serves && dns.length === 0 && addresses.length === 0) return 'DNS or IP subjectAltName is required'
  if (!serves && dns.length > 0) return 'DNS subjectAltNames are not allowed'
  if (emails.length > 0) return 'Email subjectAltNames are not allowed'
  if (!serves && addresses.length > 0) return 'IP subjectAltNames are not allowed'
  if (uris.length > 0) return 'URI subjectAltNames are not allowed'
  if (!commonName.startsWith('system:node:')) return 'subject common name does not begin with system:node:'
  const needed = ['digital signature', serves ? 'server auth' : 'client auth']
  const allowed = ['key encipherment', ...needed].toSorted((a, b) => (a < b ? -1 : 1))
  const fits = needed.every((usage) => usages.includes(usage)) && usages.every((usage) => allowed.includes(usage))
  return fits ? undefined : `usages did not match [${allowed.join(' ')}]`
}
