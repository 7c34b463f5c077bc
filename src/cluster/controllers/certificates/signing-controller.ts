import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import { certificateSigningRequests } from '#api/certificates/v1/resources.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { type Authority, backdateMs, CertificateUnusable } from '#runtime/certificates/authority.ts'
import { readSigningRequest, type SigningRequest } from '#runtime/certificates/signing-request.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '../controller-options.ts'
import { awaitsSigner, decideSigning, type SigningStep } from './decide.ts'

/** Options of {@link createSigningController}. */
export interface SigningControllerOptions extends ControllerOptions {
  /** Reads the authority of the cluster, which may have been replaced since the last call. */
  readonly authority: () => Promise<Pick<Authority, 'certify'> | undefined>
}

/** Signs approved CertificateSigningRequests of the cluster's own signers. */
export function createSigningController({ client, informers, clock, log, authority }: SigningControllerOptions): Runnable {
  const cache = informers.informer(certificateSigningRequests)

  const report = async (request: CertificateSigningRequest, status: object, signal: AbortSignal): Promise<void> => {
    const { name = '', uid, resourceVersion } = request.metadata
    const body = { metadata: { uid, resourceVersion }, status }
    try {
      await client.patch(certificateSigningRequests, { name }, { type: 'merge', body }, { subresource: 'status', signal })
    } catch (error) {
      // A concurrent write: the watch delivers it.
      if (!isConflict(error) && !isNotFound(error)) throw error
    }
  }
  const fail = (request: CertificateSigningRequest, message: string, signal: AbortSignal): Promise<void> => {
    const time = new Date(clock.now()).toISOString().replace(/\.\d+/, '')
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message,
      lastUpdateTime: time,
      lastTransitionTime: time,
    }
    return report(request, { conditions: [...(request.status?.conditions ?? []), failed] }, signal)
  }
  const sign = async (
    request: CertificateSigningRequest,
    content: SigningRequest,
    { usages, lifetimeSeconds }: Extract<SigningStep, { kind: 'sign' }>,
    signal: AbortSignal,
  ): Promise<void> => {
    const signer = await authority()
    if (signer === undefined) throw new CertificateUnusable('The authority of the cluster cannot be read')
    const nowMs = clock.now()
    const pem = signer.certify({ ...content, usages, notBefore: nowMs - backdateMs, notAfter: nowMs + lifetimeSeconds * 1000 })
    await report(request, { certificate: Buffer.from(pem).toString('base64') }, signal)
  }

  const reconciler: Reconciler = async ({ name }, { signal }) => {
    const request = cache.get('', name)
    if (request === undefined || !awaitsSigner(request)) return done
    const content = contentOf(request)
    const step = decideSigning(request, content)
    if (step.kind === 'fail') await fail(request, step.message, signal)
    if (step.kind === 'sign' && !(content instanceof Error)) await sign(request, content, step, signal)
    return done
  }
  return createController({
    name: 'certificate-signing',
    reconciler,
    sources: [watchResource(cache, enqueueSelf)],
    clock,
    log,
  })
}

function contentOf({ spec }: CertificateSigningRequest): SigningRequest | Error {
  try {
    return readSigningRequest(Buffer.from(spec.request, 'base64').toString())
  } catch (error) {
    if (error instanceof CertificateUnusable) return error
    throw error
  }
}
