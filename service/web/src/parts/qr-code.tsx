/** A QR code as one drawing: no picture is loaded, so the secret in it leaves the page nowhere. */
import qrcode from 'qrcode-generator';
import { type ReactNode, useMemo } from 'react';

/** Modules of light around the code (ISO/IEC 18004, 9.1). */
const quiet = 4;

export function QrCode({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const { size, path } = useMemo(() => {
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
  }, [text]);
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
