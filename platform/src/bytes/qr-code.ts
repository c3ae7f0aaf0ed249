/** A QR code as one path, so that pages and documents draw it without a picture. */
import qrcode from 'qrcode-generator';

/** Modules of light around the code (ISO/IEC 18004, 9.1). */
const quiet = 4;

export interface QrPath {
  /** Width and height in modules, with the light around. */
  readonly size: number;
  /** The dark modules as an SVG path, one module a unit. */
  readonly path: string;
}

/** @param text at most 2,331 bytes @throws Error it is longer */
export function qrPathOf(text: string): QrPath {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const indexes = [...Array(count).keys()];
  return {
    size: count + 2 * quiet,
    path: indexes
      .flatMap((row) =>
        indexes
          .filter((column) => code.isDark(row, column))
          .map((column) => `M${column + quiet} ${row + quiet}h1v1h-1z`),
      )
      .join(''),
  };
}
