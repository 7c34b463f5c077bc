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
import { replaceFile } from '../write-file.ts'

/** What {@link rotatePki} needs. */
export interface PkiRotation {
  readonly directory: string
  readonly nodes: readonly string[]
  /**
   * Authorities from before this moment are replaced, however long they are valid. Milliseconds
   * since the epoch.
   */
  readonly replaceBefore: number
  readonly now: () => number
  /** Called after files have changed, before anything else does. Whoever reads them does so now. */
  readonly onChange: (pki: Pki) => Promise<void>
  /**
   * Told when all certificates, by their files, are next to be renewed, as soon as none of them is
   * to be now.
   */
  readonly onRest?: (renewals: readonly Renewal[]) => void
}

/**
 * Renews the certificates of a machine that runs, each step after everybody can bear it: an
 * authority is believed before it signs, and vouched for by the one before it, so that who knows
 * only that one goes on. May be cut anywhere and run again. Gives the milliseconds after which to
 * look again.
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
  // All at once: whoever reads them is told only once.
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
  // Certificates know seconds only: one that was made because it was asked for must not be taken
  // for an older one.
  const wantedSince = Math.floor(replaceBefore / 1000) * 1000
  return {
    authority: authority && { ...authority, isOutdated: authority.issuedAt < wantedSince },
    bundle,
    publishedAt: (await stat(identity.certificate).catch(() => undefined))?.mtimeMs ?? 0,
    leaves: await Promise.all(leaves),
  }
}

/** Undefined when there is none, or its key is another one's. */
async function knownLeaf(identity: Identity): Promise<ReturnType<typeof knownOf>> {
  try {
    const [certificate] = await Promise.all([readFile(identity.certificate, 'utf8'), readFile(identity.key)])
    return knownOf(new X509Certificate(certificate).toString())
  } catch {
    return undefined
  }
}
