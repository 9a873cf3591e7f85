"""Context extension: what each rule does to the pairs of RoPE so that a longer text fits."""

from pe_core.chapters import extension
from pe_core.lab.experiment.run import measure
from pe_core.measures.rotation import first_negative, interpolated
from pe_core.measures.similarity import dot_products
from pe_core.rope_scaling import SCALINGS
from ui.chapter import Live, Look, Looks, draw_chapter
from ui.groups import FirstScreen
from ui.parts import Code, Controls, Exercise, Link, Mathematics, Measured, Picture, Text, Title

draw_chapter(
    "extension",
    Title("Context extension", anchor=False),  # its sign would have a line of its own on a telephone
    Live(Measured(extension.lengths), Text("intro")),
    Live(
        FirstScreen(
            Controls(extension.RULES),
            Controls(extension.MODEL),
            picture=Picture(extension.slowdown, "ext_slowing", told="slowing-alternative", height=360),
        ),
        Text("look"),
        Text("about"),
        Text("[[temperature]]"),
        Code(extension.slowdown, chosen=extension.functions),
    ),
    Looks(
        "ext_look",
        {
            "Wavelengths": Look(
                Text("wavelengths"),
                Picture(extension.wavelengths, "ext_waves", told="wavelengths-alternative", height=400),
                code=(extension.wavelengths,),
            ),
            "Ramp": Look(
                Text("[[ramp]]"),
                Picture(extension.ramp, "ext_ramp", told="ramp-alternative", height=360),
                code=(extension.ramp, interpolated),
            ),
            "Kernel": Look(
                Text("kernel"),
                Text("[[mean]]", how="caption"),
                Picture(extension.kernel, "ext_kernel", told="kernel-alternative", height=400),
                code=(extension.kernel, dot_products, first_negative),
            ),
            "Base bound": Look(
                Text("bound", "[[enough]]"),
                Picture(extension.base_bound, "ext_bound", told="bound-alternative", height=400),
                code=(extension.base_bound, first_negative),
            ),
            "Trained model": Look(
                Measured(extension.trained),
                Text("trained"),
                Picture(extension.losses_by_length, "ext_trained", told="trained-alternative", height=420),
                Link("lab", "trained-link", ":material/science:", extension.in_the_lab),
                code=(extension.losses_by_length, measure),
            ),
            "Why longer": Look(
                Measured(extension.memory),
                Text("memory"),
                code=(extension.memory,),
            ),
            "Exercise": Look(
                Exercise("ext_guess", 1, 100, extension.slower_pair),
                code=(SCALINGS["ntk"].rule,),
            ),
        },
    ),
    Mathematics(),
)
