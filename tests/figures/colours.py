"""What eyes make of colours: lightness, difference, and how they look without one kind of cones."""

import numpy as np

# Machado, Oliveira & Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision Deficiency",
# severity 1.0, on linear RGB.
EYES = {
    "normal": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# sRGB (D65) to XYZ, IEC 61966-2-1.
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def linear(colour: str, eyes: str = "normal") -> np.ndarray:
    """Linear RGB of "#RRGGBB", as these eyes see it."""
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    light = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return np.clip(np.asarray(EYES[eyes]) @ light, 0, 1)


def luminance(colour: str, eyes: str = "normal") -> float:
    """Relative luminance, 0 to 1."""
    return float(_XYZ[1] @ linear(colour, eyes))


def lab(colour: str, eyes: str = "normal") -> tuple[float, float, float]:
    """CIE L*a*b* in D65."""
    x, y, z = (
        np.cbrt(part) if part > (6 / 29) ** 3 else part / (3 * (6 / 29) ** 2) + 4 / 29
        for part in _XYZ @ linear(colour, eyes) / _XYZ.sum(axis=1)
    )
    return float(116 * y - 16), float(500 * (x - y)), float(200 * (y - z))


def difference(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """CIEDE2000 of two colours in L*a*b* (Sharma, Wu & Dalal 2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    chroma = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
    c1, c2 = np.hypot(a1 * stretch, b1), np.hypot(a2 * stretch, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a * stretch)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    hue = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    cosines = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
    t = 1 + sum(weight * np.cos(np.radians(times * hue + ahead)) for weight, times, ahead in cosines)
    in_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2))
    in_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    in_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    rotation = -2 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
    rotation *= np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    return float(np.sqrt(in_light**2 + in_chroma**2 + in_hue**2 + rotation * in_chroma * in_hue))
