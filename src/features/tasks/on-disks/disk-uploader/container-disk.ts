import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { launcherUser } from '#features/launcher/index.ts'
import { createLayout, type LayoutImage } from '#oci/image/image-layout.ts'
import { packTar } from '#oci/image/tar-archive.ts'
import { writeImage } from '#oci/image/write-image.ts'
import { timestamp } from '#runtime/clock/clock.ts'

/** The user of QEMU reads the disk. */
const owner = launcherUser
/** Fastest: disks compress well or not at all, and the network is the limit. */
const compression = 1

/** An image that holds one disk. */
export interface ContainerDisk {
  /** Folder for the layout. */
  readonly folder: string
  /** The disk, which is removed when it is in the layer. */
  readonly disk: string
  /** Name of the disk in the image, without extension. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** In Go's names. */
  readonly architecture: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Builds an image with one layer, which holds the disk in `/disk`. */
export async function buildContainerDisk({ folder, disk, name, labels, architecture, now }: ContainerDisk): Promise<LayoutImage> {
  const layout = await createLayout({ folder, compression })
  const archive = await packTar(
    [
      { kind: 'directory', path: 'disk', mode: 0o555, owner },
      { kind: 'copy', path: join('disk', `${name}.qcow2`), mode: 0o440, from: disk, owner },
    ],
    new Date(now),
  )
  const layer = await layout.addLayer(archive)
  await rm(disk, { force: true })
  const { reference, descriptor, manifest } = await writeImage(layout, {
    reference: name,
    created: timestamp(now),
    architecture,
    user: String(owner),
    environment: environmentOf(labels),
    entrypoint: [],
    labels: {},
    layers: [{ layer, description: `disk ${name}` }],
  })
  return { reference, descriptor, manifest, referrers: [] }
}

/** Labels of volumes that images carry. */
const carried = ['default-instancetype', 'default-instancetype-kind', 'default-preference', 'default-preference-kind'].map(
  (name) => `instancetype.kubevirt.io/${name}`,
)

/** Labels as the variables that an import makes labels of again. Pure. */
export function environmentOf(labels: Readonly<Record<string, string>>): readonly string[] {
  return carried.flatMap((label) => {
    const value = labels[label]
    return value === undefined ? [] : [`${label.replaceAll(/[./-]/g, '_').toUpperCase()}=${value}`]
  })
}
