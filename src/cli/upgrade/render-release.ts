import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { operatorName, renderPlatform, type PlatformObjects, type RenderedPlatform } from '#features/hyperconverged/index.ts'
import type { RenderRelease, UpgradeSubject } from '#features/upgrade-check/index.ts'
import { thisRelease } from '#machine/release/release.ts'

/** The program of a release did not render the components. */
class RenderingFailed extends Error {
  override readonly name = 'RenderingFailed'
}

/** Milliseconds after which a release is not waited for. */
const patienceMs = 20_000

/**
 * Creates the renderer of components as another release renders them: by the operator of that
 * release, whose checksums have been verified. This release renders instead of one that cannot, and
 * says so.
 */
export function createReleaseRenderer(
  local: Pick<UpgradeSubject, 'releases' | 'damage'>,
  { releases, signal }: { readonly releases: string; readonly signal: AbortSignal },
): RenderRelease {
  const own = thisRelease().version
  const instead = (to: string, objects: PlatformObjects, why: string): Awaited<ReturnType<RenderRelease>> => ({
    platform: renderPlatform(objects, own),
    gap: `${why}: overrides are tried on what ${own} renders, and by the schemas of ${to} where it has them`,
  })
  return async (to, objects) => {
    if (to === own) return { platform: renderPlatform(objects, own) }
    const release = local.releases.find(({ version }) => version === to)
    // Other findings say that there is no such release.
    if (release === undefined || local.damage !== undefined) return { platform: undefined }
    if (release.hyperConvergedGates === undefined) return instead(to, objects, `${to} cannot be asked what it renders`)
    try {
      return { platform: await ask(join(releases, to), objects, signal) }
    } catch (error) {
      signal.throwIfAborted()
      return instead(to, objects, `${to} could not be asked what it renders (${(error as Error).message})`)
    }
  }
}

/**
 * Runs the operator of a release as a program that reads objects, and writes what it renders.
 *
 * @throws RenderingFailed
 */
async function ask(folder: string, objects: PlatformObjects, signal: AbortSignal): Promise<RenderedPlatform> {
  const program = join(folder, 'programs', `${operatorName}.mjs`)
  const child = spawn(join(folder, 'bin/node'), [program, '--render'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {},
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  // A program that ends early does not read everything.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(objects))
  const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  if (code !== 0) throw new RenderingFailed(`its operator ended with code ${code}: ${(errors || output).trim().split('\n').at(-1) ?? ''}`)
  return JSON.parse(output) as RenderedPlatform
}
