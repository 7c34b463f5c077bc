import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { imageDirectory } from '#machine/release/image-store.ts'
import { findOnPath } from '../../support/kubectl.ts'
import { programPath } from '../programs/build.ts'

const run = promisify(execFile)

/**
 * Serves a page on port 80 of the pod's address, see own-addresses.ts. As root it has the folder of
 * pages and /tmp for itself: specs move the page from one to the other and back. It waits while
 * another pod has its address and port.
 */
const webServer = (page: string, text: string): string => `#!/bin/sh
pages=/usr/local/apache2/htdocs
if [ "$(id -u)" = 0 ]; then
  mount -t tmpfs pages "$pages"
  mount -t tmpfs tmp /tmp
else
  pages=$(mktemp -d)
fi
echo '${text}' >"$pages/${page}"
trap 'kill "$server"; rm -rf "$pages"/*; exit 0' TERM INT QUIT USR1 WINCH
while :; do
  busybox httpd -f -p "$POD_IP:80" -h "$pages" 2>/dev/null &
  server=$!
  wait "$server"
  sleep 1
done
`

/** Starts the program beside the script, with arguments where the container gives none. */
const withDefault = (program: string, argument: string): string =>
  `#!/bin/sh\n[ $# -gt 0 ] || set -- ${argument}\nexec "\${0%/*}/${program}" "$@"\n`

/** A program of this machine and the script that starts it; either can do alone. */
interface ImageProgram {
  readonly path?: string
  readonly script?: string
}

/** Programs by the last part of the image's name. Images that need more are not registered. */
function imagePrograms(programs: string): Readonly<Record<string, ImageProgram>> {
  const web = { script: webServer('index.html', '<html><body><h1>It works!</h1></body></html>') }
  const built = (name: string): ImageProgram => ({ path: programPath(programs, name) })
  return {
    agnhost: { ...built('agnhost'), script: withDefault('agnhost', 'pause') },
    busybox: { path: findOnPath('busybox') ?? '/bin/busybox', script: '#!/bin/sh\n[ $# -gt 0 ] || set -- sh\nexec "$@"\n' },
    etcd: built('etcd'),
    httpd: web,
    nautilus: { script: webServer('data.json', '{"image": "nautilus.jpg"}') },
    nginx: web,
    pause: built('pause'),
    'sample-apiserver': built('sample-apiserver'),
  }
}

/**
 * Registers the images of Kubernetes' end-to-end tests whose programs this machine has, under the
 * names that `e2e.test` uses.
 */
export async function registerImages(home: string, programs: string): Promise<void> {
  const { stdout } = await run(programPath(programs, 'e2e.test'), ['--list-images'])
  const known = imagePrograms(programs)
  for (const reference of stdout.trim().split('\n')) {
    const name = /^registry\.k8s\.io\/(?:.*\/)?([^/:]+):/.exec(reference)?.[1] ?? ''
    const image = known[name]
    if (image === undefined) continue
    const folder = imageDirectory(join(home, 'images'), reference)
    await mkdir(folder, { recursive: true })
    const [program, script] = [join(folder, name), join(folder, 'start.sh')]
    if (image.path !== undefined) {
      await copyFile(image.path, program)
      await chmod(program, 0o755)
    }
    if (image.script !== undefined) await writeFile(script, image.script, { mode: 0o755 })
    await writeFile(join(folder, 'entrypoint.json'), JSON.stringify([image.script === undefined ? program : script]))
  }
  await openToPods(join(home, 'images'))
}

/** Pods run as users of their own, and read their images. */
async function openToPods(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o755)
}
