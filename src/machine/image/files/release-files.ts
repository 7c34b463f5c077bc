import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleProgram } from '#machine/release/bundle-program.ts'
import { RELEASE_CONTENTS } from '#machine/release/release-contents.ts'
import { RELEASE_MANIFEST, type ReleaseManifest, type ReleaseNotes } from '#machine/release/release-directory.ts'
import { IMAGE_NODE, IMAGE_ROOT, LAUNCHER_SCRIPT, NODE_PROGRAMS, programPath } from '../component-images.ts'
import type { LayerEntry } from '#oci/image/layer-entry.ts'

/** A bundled program, and the sources that went into it. */
export interface ProgramFiles {
  readonly entries: readonly LayerEntry[]
  /** Paths relative to the checkout. */
  readonly inputs: readonly string[]
}

/** Parameters of {@link releaseFiles}. */
export interface ReleaseFilesOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly version: string
  readonly qemu: ReleaseManifest['qemu']
  readonly facts: ReleaseNotes
}

/**
 * Returns what all components read of their release: its version, CRDs, RBAC rules and webhooks, at
 * the paths of a release folder, and the folder of QEMU.
 */
export async function releaseFiles({ root, version, qemu, facts }: ReleaseFilesOptions): Promise<readonly LayerEntry[]> {
  const contents = await Promise.all(Object.values(RELEASE_CONTENTS).map(async (path) => [path, await readFile(join(root, path))] as const))
  const description = `${JSON.stringify({ name: 'steadyvm', version: version.slice(1), type: 'module' })}\n`
  const files: readonly (readonly [string, Buffer])[] = [...contents, ['package.json', Buffer.from(description)]]
  const manifest: ReleaseManifest = {
    version,
    qemu,
    facts,
    components: {
      ...Object.fromEntries(NODE_PROGRAMS.map((name) => [name, [`./${IMAGE_NODE}`, `./${programPath(name)}`]])),
      'virt-launcher': ['/bin/sh', `./${LAUNCHER_SCRIPT}`],
    },
    files: Object.fromEntries(files.map(([path, content]) => [path, createHash('sha256').update(content).digest('hex')])),
  }
  const all: typeof files = [...files, [RELEASE_MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]]
  return all.map(([path, content]) => ({ kind: 'file', path: inImage(path), mode: 0o644, content }))
}

/** Programs that a `command` of a container names. */
const COMMANDS: readonly string[] = ['steadyvm-tasks']

/** Bundles a program with its packages into a folder, and returns its file. */
export async function programFiles(root: string, name: string, work: string): Promise<ProgramFiles> {
  const inputs = await bundleProgram({
    root,
    entry: `src/cmd/${name}.ts`,
    target: work,
    runsFrom: join(root, 'programs'),
    packages: 'bundle',
  })
  const content = await readFile(join(work, `${name}.mjs`))
  if (!COMMANDS.includes(name)) return { entries: [{ kind: 'file', path: inImage(programPath(name)), mode: 0o644, content }], inputs }
  const interpreter = Buffer.from(`#!${join(IMAGE_ROOT, IMAGE_NODE)}\n`)
  return {
    entries: [
      { kind: 'file', path: inImage(programPath(name)), mode: 0o755, content: Buffer.concat([interpreter, content]) },
      { kind: 'link', path: `usr/bin/${name}`, target: join(IMAGE_ROOT, programPath(name)) },
    ],
    inputs,
  }
}

/** Returns the launcher's script. */
export async function launcherFiles(root: string): Promise<readonly LayerEntry[]> {
  return [{ kind: 'file', path: inImage(LAUNCHER_SCRIPT), mode: 0o644, content: await readFile(join(root, LAUNCHER_SCRIPT)) }]
}

function inImage(path: string): string {
  return join(IMAGE_ROOT, path).slice(1)
}
