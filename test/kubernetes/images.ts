import { createHash } from 'node:crypto'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { busyboxImage, pauseImage } from './components/node.ts'
import { execute, type Host } from './host/host.ts'
import { programPath } from './programs/build.ts'
import { findOnPath } from '../support/kubectl.ts'

/** Imports an image archive into the container runtime of a node. */
export async function loadImage(node: Host, archive: string): Promise<void> {
  // The shell opens the archive, because it may lie in a folder that the node does not see.
  const imported = containerRuntimeClient(node, ['images', 'import', '--local', '-'])
  await execute(['sh', '-c', 'exec "$@" <"$0"', archive, ...imported])
}

/** Imports the images that every node has, unless it has them. */
export async function loadFirstImages(nodes: readonly Host[], programs: string): Promise<void> {
  const list = (node: Host): Promise<string> => execute(containerRuntimeClient(node, ['images', 'list', '--quiet']))
  const lists = await Promise.all(nodes.map(list))
  const without = nodes.filter((_, index) => [pauseImage, busyboxImage].some((image) => lists[index]?.includes(image) !== true))
  if (without.length === 0) return
  const busybox = findOnPath('busybox')
  if (busybox === undefined) throw new Error('No busybox on PATH: the test images need one that is linked statically')
  const folder = await mkdtemp(join(tmpdir(), 'steadyvm-images-'))
  try {
    const archives = [
      await packProgram(folder, pauseImage, programPath(programs, 'pause'), []),
      await packProgram(folder, busyboxImage, busybox, (await execute([busybox, '--list'])).trim().split('\n')),
    ]
    for (const archive of archives) await Promise.all(without.map((node) => loadImage(node, archive)))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Returns the command that calls the container runtime of a node, in Kubernetes' namespace. */
export function containerRuntimeClient(node: Host, args: readonly string[]): string[] {
  return node.inside([node.pathOf('ctr'), '--namespace', 'k8s.io', ...args])
}

/** Packs a statically linked program, and links to it, as an image that starts it. */
async function packProgram(folder: string, image: string, program: string, links: readonly string[]): Promise<string> {
  const name = program.split('/').at(-1) ?? program
  const work = join(folder, name)
  const root = join(work, 'root')
  for (const each of ['bin', 'tmp', 'etc']) await mkdir(join(root, each), { recursive: true })
  await chmod(join(root, 'tmp'), 0o1777)
  await copyFile(program, join(root, 'bin', name))
  for (const link of links) if (link !== name) await symlink(name, join(root, 'bin', link))
  return packImage(work, image, { Env: ['PATH=/usr/sbin:/usr/bin:/sbin:/bin'], Entrypoint: [`/bin/${name}`] })
}

/** Packs the files of `work`/root as an image archive in `work`, and returns its path. */
export async function packImage(work: string, image: string, config: object = {}): Promise<string> {
  const reproducible = ['--numeric-owner', '--owner=0', '--group=0', '--sort=name', '--mtime=@0']
  await execute(['tar', '-C', join(work, 'root'), ...reproducible, '-cf', join(work, 'layer.tar'), '.'])
  const digest = createHash('sha256').update(await readFile(join(work, 'layer.tar')))
  const configuration = {
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest.digest('hex')}`] },
  }
  await writeFile(join(work, 'config.json'), JSON.stringify(configuration))
  await writeFile(join(work, 'manifest.json'), JSON.stringify([{ Config: 'config.json', RepoTags: [image], Layers: ['layer.tar'] }]))
  await execute(['tar', '-C', work, '-cf', join(work, 'image.tar'), 'manifest.json', 'config.json', 'layer.tar'])
  return join(work, 'image.tar')
}
