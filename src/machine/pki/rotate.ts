import { readFile, stat } from 'node:fs/promises'
import { X509Certificate } from 'node:crypto'
import { relative } from 'node:path'
import { certificatesOf, knownOf, signerOf } from '#runtime/certificates/bundle.ts'
import {
  decideRotation,
  renewalsOf,
  type CertificatesObservation,
  type CertificatesStep,
  type Renewal,
} from '#runtime/certificates/rotation.ts'
import { MACHINE_VALIDITY, renewAuthority } from './certificates.ts'
import { copyAuthority, findAuthority, issueCertificate, pkiPaths, type Identity, type Pki } from './pki.ts'
import { signerGroups, type SignerGroup } from './signers.ts'
import { replaceFile } from '../home/write-file.ts'

/** Parameters of {@link rotatePki}. */
export interface PkiRotation {
  readonly directory: string
  readonly nodes: readonly string[]
  /** Replaces authorities created before this time, in milliseconds since the epoch. */
  readonly replaceBefore: number
  readonly now: () => number
  /** Called after files have changed and before the next step, so that servers can reload them. */
  readonly onChange: (pki: Pki) => Promise<void>
  /** Called with the next renewal of each certificate when none is due now. */
  readonly onRest?: (renewals: readonly Renewal[]) => void
}

/**
 * Renews the certificates of a running machine. An authority is distributed before it signs, and is
 * cross-signed by its predecessor, so that no client loses trust. Idempotent. Returns the
 * milliseconds until the next check.
 */
export async function rotatePki(rotation: PkiRotation): Promise<number> {
  const pki = pkiPaths(rotation.directory)
  const waits: number[] = []
  const renewals: Renewal[] = []
  for (const group of signerGroups(pki, rotation.nodes)) {
    if (group.certificates.length === 0) continue
    for (;;) {
      const observation = await observe(group, rotation)
      const step = decideRotation(observation, MACHINE_VALIDITY, rotation.now())
      if (step.do === 'rest') {
        waits.push(step.recheckAfterMs)
        renewals.push(...renewalsOf(relative(rotation.directory, group.identity.certificate), observation, MACHINE_VALIDITY))
        break
      }
      await act(group, step, rotation.now())
      if (step.do === 'make-authority') continue
      await copyAuthority(pki, rotation.nodes)
      await rotation.onChange(pki)
    }
  }
  rotation.onRest?.(renewals)
  return Math.min(...waits)
}

async function act({ identity, commonName, certificates }: SignerGroup, step: CertificatesStep, nowMs: number): Promise<void> {
  const authority = await findAuthority(identity)
  if (step.do === 'make-authority') await replaceFile(identity.key, (await renewAuthority(commonName, nowMs, authority)).text, 0o600)
  if (step.do === 'publish') await replaceFile(identity.certificate, step.bundle.join(''))
  if (step.do !== 'issue' || authority === undefined) return
  // All certificates are issued before `onChange`, so that servers reload once.
  for (const wanted of certificates) await issueCertificate(wanted, authority, nowMs)
}

async function observe(
  { identity, certificates }: SignerGroup,
  { directory, replaceBefore }: Pick<PkiRotation, 'directory' | 'replaceBefore'>,
): Promise<CertificatesObservation> {
  const authority = knownOf((await findAuthority(identity))?.own.certificate ?? '')
  const bundle = certificatesOf(await readFile(identity.certificate, 'utf8').catch(() => ''))
  const authorities = [...(authority === undefined ? [] : [authority]), ...bundle]
  const leaves = certificates.map(async (wanted) => {
    const found = await knownLeaf(wanted.identity)
    const name = relative(directory, wanted.identity.certificate)
    return { name, certificate: found && { ...found, isOutdated: false, signer: signerOf(found.pem, authorities) } }
  })
  // Certificates have a resolution of 1 s: one that was just issued must not count as older than
  // the request.
  const wantedSince = Math.floor(replaceBefore / 1000) * 1000
  return {
    authority: authority && { ...authority, isOutdated: authority.issuedAt < wantedSince },
    bundle,
    publishedAt: (await stat(identity.certificate).catch(() => undefined))?.mtimeMs ?? 0,
    leaves: await Promise.all(leaves),
  }
}

/** Returns undefined when there is no certificate, or its key does not match. */
async function knownLeaf(identity: Identity): Promise<ReturnType<typeof knownOf>> {
  try {
    const [certificate] = await Promise.all([readFile(identity.certificate, 'utf8'), readFile(identity.key)])
    return knownOf(new X509Certificate(certificate).toString())
  } catch {
    return undefined
  }
}
